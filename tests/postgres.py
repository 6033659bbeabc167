#!/usr/bin/env python3
"""A private PostgreSQL server for a test, from Debian's packages: with its own folder and user, removed afterwards.

    postgres.py PROGRAM [ARGUMENT...]    runs a program with PYR_POSTGRES, a connection string, in its environment

A test in Python uses `with Postgres() as server:`. The slow part, creating the data folder, is done once per build folder
and copied. Data are not synced to the disk, since the reliability of disks is not tested here; PYR_SYNC turns it on for
measurements."""
import contextlib
import ctypes
import fcntl
import glob
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOM = 300 << 20          # in memory, for a data folder; otherwise it goes below /tmp


def programs():
    """The folder of the newest server that is installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    path = found[-1] if found else shutil.which("postgres")
    if not path:
        sys.exit("no PostgreSQL server is installed: run scripts/need test")
    return os.path.dirname(path)


def account():
    """PostgreSQL refuses to run as root."""
    if os.getuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    sys.exit("no user to run PostgreSQL as")


def folder(prefix, disk=False):
    where = "/tmp"
    try:
        room = os.statvfs("/dev/shm")
        if not disk and room.f_bavail * room.f_frsize > ROOM:
            where = "/dev/shm"
    except OSError:
        pass
    made = tempfile.mkdtemp(prefix=prefix, dir=where)
    own(made)
    return made


def own(path):
    user = account()
    if user:
        os.chown(path, user.pw_uid, user.pw_gid)


def as_user():
    user = account()
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)      # PR_SET_PDEATHSIG


def template(at):
    """A data folder that was never started; the first test creates it."""
    version = programs().split("/")[-2]
    store = os.path.join(os.environ.get("PYR_BUILD", "/tmp"), f"postgres-template-{version}")
    with open(store + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(store):
            draft = folder("pyramids-initdb-")
            subprocess.run([programs() + "/initdb", "-D", draft + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                            "--locale=C.UTF-8", "--wal-segsize=1", "-N"], cwd="/", check=True, stdout=subprocess.DEVNULL,
                            **as_user())
            shutil.copytree(draft + "/data", store + ".new")
            os.rename(store + ".new", store)
            shutil.rmtree(draft)
    shutil.copytree(store, at)
    for path, folders, files in os.walk(at):
        own(path)
        for name in files:
            own(os.path.join(path, name))
    os.chmod(at, 0o700)


class Postgres:
    def __init__(self, sync=False, follows=None, **settings):
        self.folder = folder("pyramids-pg-", disk=sync)
        self.data = self.folder + "/data"
        self.settings = {"listen_addresses": "", "unix_socket_directories": self.folder, "port": "5432",
                         "fsync": "on" if sync else "off",
                         "full_page_writes": "on" if sync else "off", "shared_buffers": "16MB", "max_connections": "60",
                         "max_wal_size": "64MB", "wal_keep_size": "64MB", "min_wal_size": "2MB", "autovacuum_naptime": "10s",
                         "log_min_messages": "warning",
                         **settings}
        self.process = None
        self.bases = itertools.count(1)
        self.small = self.refusing = None
        if follows:
            self.follow(follows)
            return
        template(self.data)
        for name in ("ssl_cert_file", "ssl_key_file"):      # a key must be the server's own
            if name in settings:
                self.settings[name] = shutil.copy(settings[name], self.folder)
                own(self.settings[name])
                os.chmod(self.settings[name], 0o600)
        self.start()

    def start(self):
        command = [programs() + "/postgres", "-D", self.data]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        self.log = open(self.folder + "/log", "a")
        self.process = subprocess.Popen(command, cwd="/", stdout=self.log, stderr=self.log, preexec_fn=end_with_parent,
            **as_user())
        while True:
            ready = subprocess.run([programs() + "/pg_isready", "-q", "-h", self.folder, "-p", self.settings["port"]],
                                   check=False)
            if not ready.returncode:
                return
            if self.process.poll() is not None:
                sys.exit("PostgreSQL did not start:\n" + open(self.folder + "/log").read())
            time.sleep(0.02)

    def stop(self, how=signal.SIGINT):
        """SIGINT: fast, in order; SIGQUIT: at once, as in a crash."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None
            self.log.close()

    # A standby has every committed transaction, and can replace the server.

    def follow(self, primary):
        """Becomes the standby of another server, whose commits wait for it from now on."""
        shutil.rmtree(self.data, ignore_errors=True)
        subprocess.run([programs() + "/pg_basebackup", "-h", primary.folder, "-p", primary.settings["port"], "-U",
                        "postgres", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"], cwd="/", check=True,
                       **as_user())
        self.settings.pop("synchronous_standby_names", None)
        self.start()
        primary.settings["synchronous_standby_names"] = "*"
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.sql("SELECT pg_reload_conf()")
        while primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            time.sleep(0.02)

    def promote(self):
        """Makes a standby the server after its server is gone."""
        with open(self.data + "/postgresql.auto.conf", "a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        done = subprocess.run([programs() + "/pg_ctl", "promote", "-w", "-D", self.data], cwd="/", check=False,
                              capture_output=True, text=True, **as_user())
        assert not done.returncode, done.stdout + done.stderr
        while self.sql("SELECT pg_is_in_recovery()") != "f":
            time.sleep(0.02)

    def where(self, base="postgres", user="postgres", **more):
        words = {"host": self.folder, "user": user, "dbname": base, **more}
        if self.settings["port"] != "5432":
            words.setdefault("port", self.settings["port"])
        return " ".join(f"{key}={value}" for key, value in words.items())

    def url(self, base="postgres", user="postgres"):
        return f"postgresql://{user}@{self.folder.replace('/', '%2F')}/{base}"

    def sql(self, text, base="postgres", user="postgres", timeout=None):
        done = subprocess.run([programs() + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
                               "-p", self.settings["port"], "-U", user,
                               "-d", base, "-c", text], capture_output=True, text=True, check=False, timeout=timeout)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    @contextlib.contextmanager
    def paused(self, pids):
        """Stops sessions while they wait for their client. One that is stopped at work may hold a lock that all others
        need, even those that ask for its state."""
        def is_waiting(pid):
            try:
                query = f"SELECT wait_event = 'ClientRead' FROM pg_stat_activity WHERE pid = {pid}"
                return self.sql(query, timeout=10) == 't'
            except subprocess.TimeoutExpired:
                return False
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                while not is_waiting(pid):
                    os.kill(pid, signal.SIGCONT)
                    time.sleep(0.02)
                    os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    @contextlib.contextmanager
    def session(self, base="postgres"):
        """A permanent connection: say() returns when its statements are done."""
        process = subprocess.Popen([programs() + "/psql", "-X", "-q", "-A", "-t", "-h", self.folder, "-p",
                                    self.settings["port"], "-U", "postgres", "-d", base], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)

        def say(text):
            process.stdin.write(text + "\n\\echo done\n")
            process.stdin.flush()
            while process.stdout.readline() != "done\n":
                assert process.poll() is None, text
        process.say = say
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def base(self):
        """A new, empty database: its name."""
        name = f"base{next(self.bases)}"
        self.sql(f"CREATE DATABASE {name}")
        return name

    # A database on a small disk that can fill up. If no disk can be mounted, the database itself reports that there is no
    # room.

    def small_base(self, megabytes):
        self.small = self.folder + "/small"
        os.mkdir(self.small)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.small], check=False,
                              capture_output=True)
        own(self.small)
        name = f"base{next(self.bases)}"
        if done.returncode:
            print(f"# {done.stderr.decode().strip()}: a full disk is made by triggers")
            self.small, self.refusing = None, name
            self.sql(f"CREATE DATABASE {name}")
            return name
        self.sql(f"CREATE TABLESPACE small LOCATION '{self.small}'")
        self.sql(f"CREATE DATABASE {name} TABLESPACE small")
        return name

    def fill(self):
        if not self.small:
            self.sql("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not "
                     "extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$", self.refusing)
            for table in ("game", "line", "choice", "visitor", "heartbeat"):
                self.sql(f"CREATE TRIGGER full_{table} BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION "
                         "full_disk()", self.refusing)
            return
        with open(self.small + "/filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def free(self):
        if self.small:
            os.remove(self.small + "/filler")
        else:
            self.sql("DROP FUNCTION full_disk CASCADE", self.refusing)

    def close(self):
        self.stop(signal.SIGQUIT)
        if self.small:
            subprocess.run(["umount", "-l", self.small], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Pair:
    """A server with a synchronous standby, which replaces it when it is killed; then the old one becomes the standby."""

    def __init__(self, sync=False):
        self.primary = Postgres(sync=sync)
        self.standby = Postgres(sync=sync, follows=self.primary)
        # The standby first, so that every client has to find the one that is writable.
        self.hosts = f"{self.standby.folder},{self.primary.folder}"

    def where(self, base="postgres"):
        return self.primary.where(base, host=self.hosts)

    def sql(self, text, base="postgres"):
        return self.primary.sql(text, base)

    def base(self):
        """A new database, once the standby has it, too: commits wait until the standby has stored them, not until it shows
        them. """
        name = self.primary.base()
        while self.standby.sql(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") != "1":
            time.sleep(0.02)
        return name

    def stop(self, how=signal.SIGINT):
        self.primary.stop(how)

    def start(self):
        self.primary.start()

    def fail_over(self):
        self.primary.stop(signal.SIGQUIT)
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary
        self.standby.follow(self.primary)

    def close(self):
        for server in (self.standby, self.primary):
            server.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main():
    def end(*_):
        sys.exit(1)
    signal.signal(signal.SIGTERM, end)
    with Postgres(sync=bool(os.environ.get("PYR_SYNC"))) as server:
        env = {**os.environ, "PYR_POSTGRES": server.where(), "PYR_POSTGRES_PID": str(server.process.pid)}
        return subprocess.run(sys.argv[1:], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
