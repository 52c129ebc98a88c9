"""The newsstand: a loopback web server that plays the outside world for the demo, the tests and anyone offline."""
