"""Runs the cases of a test program (functions whose names begin with case_) and reports them in TAP."""
import concurrent.futures
import os
import sys
import tempfile
import time
import traceback


def times(full, few):
    """How often something is repeated, or how large it is: `few` with PYR_SHORT, because another build uses `full`."""
    return few if os.environ.get('PYR_SHORT') else full


def run_one(function, begin, end):
    """Runs one case. Returns its error or None, and the seconds it took. A case that takes an argument gets a folder of its
    own."""
    begun, wrong = time.monotonic(), None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        begin(folder)
        try:
            function(*[folder][:function.__code__.co_argcount])
        except Exception:                    # pylint: disable=broad-except  # the other cases still run
            wrong = traceback.format_exc()[-6000:]
        finally:
            end(folder)
    return wrong, time.monotonic() - begun


def results(cases, beside, begin, end):
    """Yields name, error and seconds of each case as it ends. If only one runs at a time, it runs in this thread, because
    signals arrive here."""
    if beside == 1:
        for name, function in cases.items():
            yield name, *run_one(function, begin, end)
        return
    with concurrent.futures.ThreadPoolExecutor(beside) as pool:
        running = {pool.submit(run_one, function, begin, end): name for name, function in cases.items()}
        for done in concurrent.futures.as_completed(running):
            yield running[done], *done.result()


def main(names, wanted=None, beside=1, begin=lambda folder: None, end=lambda folder: None):
    """Runs the cases in `names` (a module's globals()) whose name contains `wanted` (if None: the program's third argument),
    `beside` of them at a time; begin(folder) and end(folder) are called around each. Then exits."""
    failed = count = 0
    if wanted is None:
        wanted = sys.argv[3] if len(sys.argv) > 3 else ''
    cases = {name: function for name, function in names.items()
             if name.startswith('case_') and wanted in name and function}
    for name, wrong, seconds in results(cases, beside, begin, end):
        count += 1
        failed += wrong is not None
        if wrong:
            print('\n'.join('# ' + line for line in wrong.replace('\\n', '\n').split('\n')))
        print(f'# {seconds:.1f} s\n{"not " if wrong else ""}ok {count} - {name[5:].replace("_", " ")}', flush=True)
    print(f'1..{count}')
    sys.exit(failed != 0)
