#!/usr/bin/env python3
"""Prints window_times.txt: the occurrences of recurring windows around changes of the clocks, by Python's zoneinfo.

usage: window_times.py > window_times.txt; window_times.py --check FILE fails if the file is another one

The script walks over each UTC minute of a period and asks whether the schedule names its local time. It shares no code
with the service, and needs Python 3.9 or newer with the system's tzdata.
"""

import datetime
import sys
import zoneinfo

UTC = datetime.timezone.utc
MINUTE = datetime.timedelta(minutes=1)
HEADER = """\
# Every occurrence of a recurring window in a period around changes of the clocks, made by window_times.py:
# schedule | zone | minutes | start of the period, UTC | its end | START..END@LOCAL of each occurrence.
# START and END are in UTC; LOCAL is the wall time and the offset that zoneinfo has for START.
# With hour `*` every named minute counts. Otherwise only the first of two passes counts, and the first minute after a
# gap also counts when any skipped minute is named.
"""
# Each zone with the days before and after its changes: a gap and a doubled hour.
PERIODS = {
    "Europe/Berlin": ["2026-03-27", "2026-10-23"],
    "America/New_York": ["2026-03-06", "2026-10-30"],
    "America/St_Johns": ["2026-03-06", "2026-10-30"],  # half hours from UTC
    "Australia/Lord_Howe": ["2026-04-03", "2026-10-02"],  # the clocks change by half an hour
    "America/Santiago": ["2026-04-03", "2026-09-04"],  # the gap is at midnight
    "Asia/Beirut": ["2026-03-27", "2026-10-23"],  # the gap is at midnight
    "Africa/Cairo": ["2026-04-22", "2026-10-28"],  # the gap is at midnight, on a Friday
    "Asia/Kathmandu": ["2026-03-27", "2026-10-29"],  # no changes, 45 minutes from a full hour
    "UTC": ["2026-02-27", "2026-12-30"],
}
# Schedules with a duration that fits between two starts.
SCHEDULES = [
    ("30 2 * * *", 90), ("0 3 * * sun", 90), ("15 2 * * *", 1380), ("0 0 * * *", 60), ("30 0 * * *", 120),
    ("45 23 * * *", 180), ("30 1 * * *", 60), ("0 */6 * * *", 240), ("0 * * * *", 60), ("0 4 1 * *", 720),
    ("0 22 28-31 * *", 600), ("0 2 * * sat,sun", 600),
]
DAYS_OF_PERIOD = 4
# The hourly schedule has so many occurrences that two zones are enough.
HOURLY = {"Europe/Berlin", "Australia/Lord_Howe"}
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


def numbers_of(field, low, high):
    """The numbers that a field of a schedule names."""
    out = set()
    for part in field.split(","):
        part, _, step = part.partition("/")
        first, _, last = part.partition("-")
        if first == "*":
            first, last = low, high
        out.update(range(int(first), int(last or first) + 1, int(step or 1)))
    return out


class Schedule:
    def __init__(self, text):
        minute, hour, day, month, weekday = text.split()
        for number, name in enumerate(WEEKDAYS):
            weekday = weekday.replace(name, str(number))
        self.minutes, self.hours = numbers_of(minute, 0, 59), numbers_of(hour, 0, 23)
        self.days, self.months = numbers_of(day, 1, 31), numbers_of(month, 1, 12)
        self.weekdays = {number % 7 for number in numbers_of(weekday, 0, 7)}
        self.any_hour, self.either_day = hour == "*", day != "*" and weekday != "*"

    def names(self, wall):
        on_day, on_weekday = wall.day in self.days, wall.isoweekday() % 7 in self.weekdays
        day = on_day or on_weekday if self.either_day else on_day and on_weekday
        return wall.minute in self.minutes and wall.hour in self.hours and wall.month in self.months and day

    def starts(self, now, zone):
        """True if a window starts at this moment."""
        wall, before = now.astimezone(zone), (now - MINUTE).astimezone(zone)
        if self.any_hour:
            return self.names(wall)
        if wall.fold == 0 and self.names(wall):
            return True
        skipped = before.replace(tzinfo=None) + MINUTE
        while skipped < wall.replace(tzinfo=None):
            if self.names(skipped):
                return True
            skipped += MINUTE
        return False


def text_of(moment):
    return moment.strftime("%Y-%m-%dT%H:%MZ")


def occurrences(schedule, minutes, zone, first, last):
    now = first
    while now < last:
        if schedule.starts(now, zone):
            end = now + datetime.timedelta(minutes=minutes)
            yield f"{text_of(now)}..{text_of(end)}@{now.astimezone(zone).isoformat()[11:16]}" \
                  f"{now.astimezone(zone).isoformat()[19:]}"
        now += MINUTE


def table():
    lines = []
    for name, days in PERIODS.items():
        zone = zoneinfo.ZoneInfo(name)
        for day in days:
            first = datetime.datetime.fromisoformat(day + "T12:00").replace(tzinfo=UTC)
            last = first + datetime.timedelta(days=DAYS_OF_PERIOD)
            for schedule, minutes in SCHEDULES:
                if Schedule(schedule).any_hour and name not in HOURLY:
                    continue
                found = " ".join(occurrences(Schedule(schedule), minutes, zone, first, last))
                lines.append(f"{schedule} | {name} | {minutes} | {text_of(first)} | {text_of(last)} | {found}".rstrip())
    return HEADER + "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2], encoding="utf-8") as file:
            sys.exit(0 if file.read() == table() else f"{sys.argv[2]} is not what this script prints")
    sys.stdout.write(table())


if __name__ == "__main__":
    main()
