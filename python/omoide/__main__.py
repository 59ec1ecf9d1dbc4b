"""`python -m omoide`: the command line, where no program `omoide` is on the path."""

import sys

from omoide.cli import main

sys.exit(main())
