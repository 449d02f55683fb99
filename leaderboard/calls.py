"""The command line of the commands that talk to a site; what they do is in `calling`, loaded when it is asked for."""

import argparse
import os

COMMANDS = ("submit", "status", "board", "compare")
URL, DEFAULT_URL = "QRELBOARD_URL", "http://127.0.0.1:7860"


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the four commands to a command line."""
    submit = commands.add_parser("submit", help="hand in a run to a site (--dry-run: only check it, nothing is stored)")
    submit.add_argument("task", help="id of the task: the last part of its board's address")
    submit.add_argument("run", help="the run file, plain or gzip")
    submit.add_argument("--name", default="", help="name of the system, as the board shows it")
    submit.add_argument("--version", default="", help="version of the system")
    submit.add_argument("--field", action="append", default=[], metavar="KEY=VALUE", help="another field of the form")
    submit.add_argument("--receipt", default="", metavar="FILE", help="write id and keys here, for you alone to read")
    submit.add_argument("--dry-run", action="store_true", help="only check the file")
    submit.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="wait for the scores so long")
    status = commands.add_parser("status", help="tell where a submission stands")
    status.add_argument("submission", help="its id, or the file that submit --receipt wrote")
    status.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="wait for the scores so long")
    board = commands.add_parser("board", help="print a board: rank, score, system, version, id, between tabs")
    board.add_argument("task", help="id of the task")
    board.add_argument("--json", action="store_true", help="print the whole board as JSON")
    compare = commands.add_parser("compare", help="compare rows of a board with the first of them")
    compare.add_argument("task", help="id of the task")
    compare.add_argument("ids", nargs="+", help="ids of rows (the last column of board), the reference first")
    for command in (submit, status, board, compare):
        address = os.environ.get(URL, DEFAULT_URL)
        command.add_argument("--url", default=address, help=f"address of the site (default: {URL}, else this machine)")
