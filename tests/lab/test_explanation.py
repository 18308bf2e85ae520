from regretless import Study
from regretless.lab.explanation import measured_before


def test_results_of_the_same_experiment_are_counted():
    study = Study([{"t": t} for t in range(3)], seed=1, repeats="allow")
    first, other, third = study.add(row=0, value=1.0), study.add(row=1, value=2.0), study.add(row=0, value=1.5)
    study.add(row=0, failed=True)
    last = study.add(row=0, value=3.0)
    assert [measured_before(study, trial) for trial in (first, other, third, last)] == [0, 0, 1, 2]
    study.exclude(first.number, reason="wrong bottle")
    assert measured_before(study, last) == 1
