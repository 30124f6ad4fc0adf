"""Evaluate: ask the model for what a run lacks, judge what has no verdict yet, keep everything as it comes.

folder = Folder.open(path, config, lambda: suite(config.suite, …))
evaluate(folder)
"""

from collections.abc import Callable

from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.models import model
from tritonrl.evaluate.records import Outcome, Written
from tritonrl.evaluate.searching import SearchPolicy
from tritonrl.policy import Policy, Proposal, propose_each
from tritonrl.search.library import Library
from tritonrl.tasks import Task
from tritonrl.verify import Judged, Zygotes, verify_many
from tritonrl.verify.completion import Completion
from tritonrl.verify.zygotes import zygotes_of_own

Progress = Callable[[int], None]


def evaluate(
    folder: Folder,
    *,
    workers: int | None = None,
    zygotes: Zygotes | None = None,
    library: Library | None = None,
    asked: Progress = lambda samples: None,
    judged: Progress = lambda samples: None,
) -> None:
    """Complete a run. `asked` and `judged` are told how many samples are done; a search has a library."""
    config = folder.config
    keys = [(task.id, sample) for task in _tasks(folder) for sample in range(config.samples)]
    if all(folder.has_outcome(*key) for key in keys):
        return
    with zygotes_of_own(zygotes) as held:
        held.device = config.settings.device
        who = model(config.model)(config.seed, held)
        if config.search is not None:
            who = SearchPolicy(
                who, config.search, config.settings, held, model=config.model, budget=config.budget,
                library=library or Library(), workers=workers,
            )  # fmt: skip
        _ask(folder, who, asked)
        # On a GPU judges are processes of their own.
        _judge(folder, workers, held if config.settings.device == "cpu" else None, judged)


def _tasks(folder: Folder) -> list[Task]:
    return [each.task for each in folder.listed if each.task]


def _ask(folder: Folder, who: Policy, progress: Progress) -> None:
    samples, tasks = range(folder.config.samples), _tasks(folder)
    missing = [(task, [n for n in samples if (task.id, n) not in folder.written]) for task in tasks]
    done = len(tasks) * len(samples) - sum(len(wanted) for _, wanted in missing)
    with folder.completions() as write:
        for task, each in propose_each(who, [(task, wanted) for task, wanted in missing if wanted]):
            write(_written(task, each))
            progress(done := done + 1)


def _written(task: Task, given: Proposal) -> Written:
    blame = None if given.text is not None else "task" if given.blames_task else "model"
    return Written(
        task=task.id, sample=given.sample, text=given.text, error=given.error, blame=blame, ops=given.ops,
        seconds=given.seconds,
    )  # fmt: skip


def _judge(folder: Folder, workers: int | None, zygotes: Zygotes | None, progress: Progress) -> None:
    settings, tasks = folder.config.settings, {task.id: task for task in _tasks(folder)}
    missing = [each for key, each in _in_order(folder) if not folder.has_outcome(*key)]
    done = len(folder.written) - len(missing)
    with folder.verdicts() as write:
        for each in missing:
            if each.text is None:
                write(Outcome(task=each.task, sample=each.sample, error=each.error, blame=each.blame))
                progress(done := done + 1)
        asked = [(each, each.text) for each in missing if each.text is not None]
        answers = [Completion.of_text(text) for _, text in asked]
        questions = [tasks[each.task] for each, _ in asked]
        for outcome in verify_many(questions, answers, settings, workers=workers, zygotes=zygotes):
            write(_outcome(asked[outcome.number][0], outcome))
            progress(done := done + 1)


def _in_order(folder: Folder) -> list[tuple[tuple[str, int], Written]]:
    """Samples of a task beside each other: what it needs is then prepared once."""
    places = {each.id: place for place, each in enumerate(folder.listed)}
    return sorted(folder.written.items(), key=lambda item: (places[item[0][0]], item[0][1]))


def _outcome(written: Written, judged: Judged) -> Outcome:
    task, sample = written.task, written.sample
    if judged.verdict is not None:
        if (why := judged.verdict.not_judged) is not None:
            # Neither right nor wrong: the next run tries again.
            return Outcome(task=task, sample=sample, error=why.message, blame="verifier")
        return Outcome(task=task, sample=sample, verdict=judged.verdict)
    return Outcome(task=task, sample=sample, error=str(judged.error), blame=judged.blame)
