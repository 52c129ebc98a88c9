from scoop.cli import main

main()
