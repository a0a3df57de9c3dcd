"""Run a command and print, after what it prints, its CPU seconds and its peak memory in MB: `growth_launch.py COMMAND ...`."""

import os
import sys

process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(process, 0)
print(f"\nmeasured: {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)
