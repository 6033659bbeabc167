"""Runs the cases of a test program, functions whose names begin with case_, and speaks TAP about them."""
import concurrent.futures
import os
import sys
import tempfile
import time
import traceback


def times(full, few):
    """How often, or on what, something is repeated: `few` with PYR_SHORT, where another build does it `full` times."""
    return few if os.environ.get('PYR_SHORT') else full


def run_one(function, begin, end):
    """What went wrong, or None; with the seconds it took. A case that takes an argument gets a folder of its own."""
    begun, wrong = time.monotonic(), None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        begin(folder)
        try:
            function(*[folder][:function.__code__.co_argcount])
        except Exception:                    # pylint: disable=broad-except  # whatever it was, the other cases are run
            wrong = traceback.format_exc()[-6000:]
        finally:
            end(folder)
    return wrong, time.monotonic() - begun


def results(cases, beside, begin, end):
    """Name, what went wrong and seconds of each case, as it ends. A single one at a time runs in this thread, where signals
    arrive."""
    if beside == 1:
        for name, function in cases.items():
            yield name, *run_one(function, begin, end)
        return
    with concurrent.futures.ThreadPoolExecutor(beside) as pool:
        running = {pool.submit(run_one, function, begin, end): name for name, function in cases.items()}
        for done in concurrent.futures.as_completed(running):
            yield running[done], *done.result()


def main(names, wanted=None, beside=1, begin=lambda folder: None, end=lambda folder: None):
    """Runs the cases among `names` (a module's globals()) whose name contains `wanted`, the third argument of the program if
    None, so many beside each other; begin(folder) and end(folder) are called around each. Ends the program."""
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
