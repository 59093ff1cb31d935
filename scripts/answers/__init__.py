"""The parts of scripts/compare-answers, one idea a file:

sources    what is imported, and the calls that come with it
own_release, own_calls   the made-up release that brings about what the other sources do not
tables     stored rows as calls
mutations  calls changed a little
draw       the streams of calls, drawn by a seed
programs   the two programs, and what they are run with
compare    answers line by line
words      every path, source and reason that there is
coverage   which of them are among the answers
summary    tables for people
run        all of it in order
"""
