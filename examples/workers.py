"""Four evaluations at a time, of different length; whoever is free gets the next point.

Pending points count: suggestions keep away from them. Any executor will do (`executor=`), Dask on a cluster too;
`workers=4` starts processes of its own.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from matplotlib import pyplot as plt

from regretless import Study


def simulation(params: dict[str, float]) -> float:
    time.sleep(0.15 + 0.25 * params["size"])  # a larger one takes longer
    return -((params["size"] - 0.6) ** 2) - (params["angle"] - 0.3) ** 2


study = Study({"size": (0.0, 1.0), "angle": (0.0, 1.0)}, seed=1)
with ThreadPoolExecutor(4) as pool:
    result = study.optimize(simulation, 24, executor=pool)
print(result)

# The events of the study know when each trial was asked for and when it ended.
times = {event.number: [event.time] for event in study.events() if event.kind == "asked"}
for event in study.events():
    if event.kind == "told":
        times[event.number].append(event.time)
first, free_at = min(begin for begin, _ in times.values()), [0.0] * 4
figure, ax = plt.subplots(figsize=(6.0, 2.6), layout="constrained")
for number, (begin, end) in sorted(times.items()):
    slot = min((i for i in range(4) if free_at[i] <= begin), key=lambda i: free_at[i], default=0)
    free_at[slot] = end
    ax.barh(slot, end - begin, left=begin - first, height=0.8, color="#0072B2", edgecolor="white")
    ax.text((begin + end) / 2 - first, slot, str(number), color="white", ha="center", va="center", fontsize=8)
ax.set(xlabel="seconds since the first suggestion", yticks=range(4), yticklabels=[f"worker {i}" for i in range(4)])
ax.set_title("24 trials on four workers", fontsize=10)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/workers.png", dpi=110)
busy = sum(end - begin for begin, end in times.values()) / (4 * (max(end for _, end in times.values()) - first))
print(f"workers were busy {'more' if busy > 0.5 else 'less'} than half of the time")
