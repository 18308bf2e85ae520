"""How the page looks, on a screen and on paper."""

__all__ = ["STYLE"]

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
p { max-width: 46rem; } .quiet { color: #666; margin-top: .2rem; } .note { background: #fff6e0; padding: .6rem .8rem; }
img { max-width: 100%; height: auto; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; } td, th { padding: .3rem .7rem .3rem 0; text-align: left;
vertical-align: top; } thead th { border-bottom: 1px solid #999; } tbody td { border-bottom: 1px solid #eee; }
.facts th { white-space: nowrap; padding-right: 1.2rem; color: #444; } .facts { margin-top: 1rem; font-size: 1rem; }
details { margin: .4rem 0; } summary { cursor: pointer; color: #0072b2; }
@media print { body { margin: 0; max-width: none; } details { display: none; } h2 { break-after: avoid; } }
"""
