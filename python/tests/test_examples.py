"""The examples run and print what the documentation shows."""

import subprocess
import sys
import unittest

from sample import DATABASE, SOURCE, mm_100_us


def output(example):
    command = [sys.executable, "-B", str(SOURCE / "examples/python" / example), str(DATABASE)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Examples(unittest.TestCase):
    def test_lookup(self):
        text = output("lookup_example.py")
        source, latency = text.split()[:2]
        self.assertEqual(source, "INTERPOLATED")
        self.assertAlmostEqual(float(latency), mm_100_us(), places=9)
        self.assertIn("5000 MISS None outside_boundary", text)
        self.assertIn("input inputs[0].shape[0]", text)
        self.assertIn("SYNTHETIC data", text)

    def test_tensor_cast(self):
        text = output("tensor_cast_example.py")
        self.assertRegex(text, r"aten\.mm\.default +\d+\.\d+ us  INTERPOLATED, linear_1d")
        self.assertRegex(text, r"tensor_cast\.all_reduce\.default +\d+\.\d+ us  MEASURED, exact_coordinate")
        self.assertRegex(text, r"aten\.convolution\.default +miss: unmapped")


if __name__ == "__main__":
    unittest.main()
