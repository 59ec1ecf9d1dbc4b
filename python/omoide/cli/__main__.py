"""`python -m omoide.cli`."""

import sys

from omoide.__main__ import main

sys.exit(main())
