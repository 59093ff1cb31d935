"""Runs jobs by turns: each in a process group of its own, which is stopped while another one runs."""

import multiprocessing
import os
import signal
import sys

_FORK = multiprocessing.get_context("fork")


class _Worker:
    def __init__(self, job):
        self.answer, answer = _FORK.Pipe(duplex=False)
        self.process = _FORK.Process(target=self._work, args=(job, answer))
        self.process.start()
        answer.close()
        os.setpgid(self.process.pid, self.process.pid)  # here as well as there: whichever comes first
        self.signal(signal.SIGSTOP)

    @staticmethod
    def _work(job, answer):
        os.setpgid(0, 0)
        answer.send(job())

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def run(self, seconds):
        """Lets it go on; true when it has come to its end. Failure ends the program."""
        self.signal(signal.SIGCONT)
        if not self.answer.poll(seconds):
            self.signal(signal.SIGSTOP)
            return False
        try:
            self.result = self.answer.recv()
        except EOFError:
            sys.exit("bench: a measurement failed")
        self.process.join()
        return True


def by_turns(jobs, slice_s):
    """What the jobs (functions without arguments) return, in order. Each runs for `slice_s` at a time, or to its end
    where that is None; the first one begins."""
    workers = [_Worker(job) for job in jobs]
    running = list(workers)
    try:
        while running:
            running = [worker for worker in running if not worker.run(slice_s)]
    finally:
        for worker in running:
            if worker.process.is_alive():
                worker.signal(signal.SIGKILL)
    return [worker.result for worker in workers]
