"""`python -m omoide.cli`."""

import sys

from omoide.cli import main

sys.exit(main())
