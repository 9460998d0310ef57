"""Time: calendars, clocks and events; instants and intervals of records."""
