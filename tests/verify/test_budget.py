"""The budget of a GPU's memory: who asks for more than there is waits, and nobody waits for ever."""

import threading

from tritonrl.verify.budget import Budget

QUICK = 5.0


def test_who_asks_for_more_than_there_is_waits():
    budget, order = Budget(lambda: 10), []
    first_is_in, let_go = threading.Event(), threading.Event()

    def spend(name: str, size: int, *, waits: bool) -> None:
        with budget.spent(size):
            order.append(name)
            if waits:
                first_is_in.set()
                let_go.wait(QUICK)
            order.append(f"{name} gone")

    first = threading.Thread(target=spend, args=("first", 7), kwargs={"waits": True})
    first.start()
    assert first_is_in.wait(QUICK)
    large = threading.Thread(target=spend, args=("large", 4), kwargs={"waits": False})
    large.start()
    spend("small", 3, waits=False)
    large.join(0.1)
    assert order == ["first", "small", "small gone"]
    let_go.set()
    for thread in (first, large):
        thread.join(QUICK)
    assert order[3:] == ["first gone", "large", "large gone"]


def test_the_largest_goes_when_nobody_else_is_there():
    budget, entered = Budget(lambda: 10), threading.Event()

    def spend() -> None:
        with budget.spent(1_000):
            entered.set()

    threading.Thread(target=spend, daemon=True).start()
    assert entered.wait(QUICK)
