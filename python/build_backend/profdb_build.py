"""Builds the wheel of profdb with CMake: a PEP 517 backend of its own, so that pip needs no network.

Environment:
  PROFDB_BUILD_DIR  an existing CMake build folder of profdb to take the module from, configured for the same Python;
                    without it the module is built in a folder that is removed afterwards
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def _version():
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(profdb VERSION ([0-9.]+)", text).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _run(*command):
    subprocess.run([str(word) for word in command], check=True)


def _install(build, stage):
    _run("cmake", "--build", build, "--target", "profdb_python")
    _run("cmake", "--install", build, "--strip", "--component", "python", "--prefix", stage)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (stage / "profdb" / f"_native{suffix}").exists():
        raise SystemExit(f"profdb: {build} holds no module for this Python (_native{suffix}): configure it with "
                         f"-DPython_EXECUTABLE={sys.executable}, or unset PROFDB_BUILD_DIR")


def _build(stage):
    given = os.environ.get("PROFDB_BUILD_DIR")
    if given:
        return _install(pathlib.Path(given).resolve(), stage)
    with tempfile.TemporaryDirectory() as build:
        _run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DPROFDB_BUILD_TESTS=OFF", "-DPROFDB_BUILD_BENCH=OFF",
             f"-DPython_EXECUTABLE={sys.executable}")
        _install(build, stage)


def _metadata():
    return (f"Metadata-Version: 2.1\nName: profdb\nVersion: {_version()}\n"
            "Summary: Profiling database for accelerator operators\nLicense: Apache-2.0\nRequires-Python: >=3.9\n")


def _wheel_info():
    return f"Wheel-Version: 1.0\nGenerator: profdb_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517: what pip wants to know before it builds."""
    info = f"profdb-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(_wheel_info(), encoding="utf-8")
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: writes the wheel into `wheel_directory`; returns its file name."""
    info = f"profdb-{_version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        _build(stage)
        files = {str(path.relative_to(stage)): path.read_bytes() for path in sorted(stage.rglob("*")) if path.is_file()}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = _wheel_info().encode()
    record = "".join(_record_line(name, content) for name, content in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    wheel = f"profdb-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517; there is none: the module is built from the whole source tree."""
    raise NotImplementedError("profdb is installed from its source tree: pip install ./python")
