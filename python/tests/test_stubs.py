"""_native.pyi says what the module has: the same names, the same parameters, the same defaults."""

import ast
import pathlib
import re
import unittest

import profdb
from profdb import _native

# What every class has, or the stubs need not say.
_IGNORED = {"__init__", "__module__", "__doc__", "__new__"}


def stub_tree():
    return ast.parse((pathlib.Path(profdb.__file__).parent / "_native.pyi").read_text())


def stub_parameters(function):
    """(name, default as text or None) of each parameter, keyword-only ones after a "*"."""
    arguments = function.args
    positional = [argument.arg for argument in arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    parameters = list(zip(positional, defaults))
    if arguments.kwonlyargs:
        parameters.append(("*", None))
        kw_defaults = [None if d is None else ast.unparse(d) for d in arguments.kw_defaults]
        parameters += list(zip([argument.arg for argument in arguments.kwonlyargs], kw_defaults))
    return parameters


def split_parameters(text):
    """Splits at commas outside brackets."""
    parts, level, current = [], 0, ""
    for character in text:
        level += character in "[(<{"
        level -= character in "])>}"
        if character == "," and level == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in [*parts, current] if part.strip()]


def module_parameters(name, function):
    """The same from the signature that pybind11 writes into the docstring; of overloads, the last."""
    line = re.findall(rf"(?m)^(?:\d+\. )?{re.escape(name)}\((.*)\) -> ", function.__doc__)[-1]
    parameters = []
    for part in split_parameters(line):
        declaration, _, default = part.partition(" = ")
        parameters.append((declaration.partition(":")[0], default or None))
    return parameters


class Stubs(unittest.TestCase):
    def test_name_the_same_things(self):
        stubbed = {node.name for node in stub_tree().body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(stubbed, {name for name in vars(_native) if not name.startswith("__")})
        self.assertEqual(stubbed, set(profdb.__all__))

    def test_classes_have_the_same_members(self):
        classes = [node for node in stub_tree().body if isinstance(node, ast.ClassDef)]
        self.assertTrue(classes)
        for node in classes:
            actual = vars(getattr(_native, node.name))
            stubbed = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
            stubbed |= {m.target.id for m in node.body if isinstance(m, ast.AnnAssign)}
            public = {name for name in actual if not name.startswith("__")}
            self.assertEqual({name for name in stubbed if not name.startswith("__")}, public, node.name)
            self.assertLessEqual({n for n in stubbed if n.startswith("__")} - _IGNORED, set(actual), node.name)

    def test_properties_are_properties(self):
        for node in stub_tree().body:
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                    is_property = isinstance(vars(getattr(_native, node.name))[member.name], property)
                    self.assertEqual(bool(member.decorator_list), is_property, f"{node.name}.{member.name}")

    def test_functions_have_the_same_parameters(self):
        checked = 0
        for node in stub_tree().body:
            if isinstance(node, ast.FunctionDef):
                self.check(node.name, node, getattr(_native, node.name))
                checked += 1
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef) and not member.decorator_list:
                    if member.name == "__init__" or not member.name.startswith("__"):
                        self.check(member.name, member, vars(getattr(_native, node.name))[member.name])
                        checked += 1
        self.assertGreater(checked, 5)

    def check(self, name, stub, function):
        actual = module_parameters(name, function)
        actual = [(parameter, None if default is None else default.replace('"', "'")) for parameter, default in actual]
        self.assertEqual(stub_parameters(stub), actual, name)


if __name__ == "__main__":
    unittest.main()
