#!/usr/bin/python3
"""Reads a feed from standard input with feedparser, and prints its entries as JSON: id, title, and time in milliseconds.
Fails if the feed is not well-formed."""
import calendar
import json
import sys

import feedparser

# The test compares titles as they are, so nothing is cleaned.
feed = feedparser.parse(sys.stdin.buffer, sanitize_html=False, resolve_relative_uris=False)
if feed.bozo:
    sys.exit(f"feedparser: {feed.bozo_exception}")
entries = [{"id": entry.id, "title": entry.title, "at": calendar.timegm(entry.published_parsed) * 1000} for entry in feed.entries]
print(json.dumps(entries))
