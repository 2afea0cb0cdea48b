"""What drivers in Python share: operations, and a look at what they did that does not go through the client."""

import json
import os
import urllib.error
import urllib.request

URL = os.environ["SERVICE"]
TOKEN = os.environ["TOKEN"]
ADMIN_TOKEN = os.environ["ADMIN_TOKEN"]
USERNAME = os.environ["USERNAME"]
USER_ID = int(os.environ["USER_ID"])
SHOWN_CHARACTERS = 500


def operation(name):
    """Decorates the work of an operation: carries it out at once, notes whether it passed, and names what it returned."""

    def carry_out(work):
        problem = None
        result = None
        try:
            result = work()
        except Exception as error:  # pylint: disable=broad-except
            text = f"{type(error).__name__}: {error}"
            problem = " ".join(text.split())[:SHOWN_CHARACTERS]
        with open(os.environ["CLIENT_RESULTS"], "a", encoding="utf-8") as results:
            results.write(json.dumps({"operation": name, "problem": problem}) + "\n")
        return result

    return carry_out


def call(method, route, token=TOKEN):
    """Calls version 4 without the client. Returns the status and the text."""
    request = urllib.request.Request(
        f"{URL}/api/v4{route}", method=method, headers={"PRIVATE-TOKEN": token}
    )
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def read(route, token=TOKEN):
    """Reads what the service has, without the client."""
    status, text = call("GET", route, token)
    assert status == 200, f"GET {route} answers {status} {text}"
    return json.loads(text)


def status_of(route, token=TOKEN):
    """The status with which a thing is read."""
    return call("GET", route, token)[0]


def equal(actual, expected):
    """Compares, and says both where they differ."""
    assert actual == expected, f"{actual!r} instead of {expected!r}"
