"""Published test cases: initial states that papers define."""
