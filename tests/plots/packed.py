"""Unpacks what a report's page draws."""

import base64
import gzip
import json
import re


def page_data(page):
    """Returns the specifications and data of a page's figures."""
    (packed,) = re.findall(r'<script type="text/plain" id="data">([^<]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))
