/* How the figure “translate in the page” looks, beside what all figures share. */

import { ROWS } from "../kit/words.js";

export const STYLE = `${ROWS}
.ab-tp-ask { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-bottom: 0.5rem; }
.ab-tp-ask label { font-weight: 550; flex: 1 1 100%; margin: 0; }
.ab-tp-ask input { flex: 1 1 12rem; min-width: 0; font: inherit; font-size: 18px; padding: 8px 12px; min-height: 44px;
  color: var(--ab-ink); background: var(--ab-ground); border: 1.5px solid var(--ab-line); border-radius: 8px; }
.ab-tp-ask input:focus-visible { outline: 3px solid var(--ab-accent); outline-offset: 1px; }
.ab-tp-ask .ab-button { min-height: 44px; }
.ab-tp-tries { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0 0 0.75rem; padding: 0; list-style: none; }
.ab-tp-tries li { margin: 0; padding: 0; }
.ab-tp-tries .ab-button { padding: 3px 10px; font-weight: 450; text-align: left; }
.ab-tp-tries small { color: var(--ab-muted); font-size: 12px; margin-left: 0.4em; white-space: nowrap; }
.ab-tp-result { padding: 0.625rem 0.875rem 0.75rem; margin-bottom: 0.75rem; background: var(--ab-panel);
  border-radius: 8px; border-left: 3px solid var(--ab-query); }
.ab-tp-result output { display: block; min-height: 1.35em; font-size: 24px; line-height: 1.35; font-weight: 600;
  letter-spacing: -0.01em; overflow-wrap: anywhere; }
.ab-card p.ab-tp-status { color: var(--ab-muted); font-size: 13.5px; line-height: 1.4; }
.ab-tp-status b { display: inline-block; margin-right: 0.5em; padding: 0 0.6em; border-radius: 1em; font-weight: 650;
  color: var(--ab-ground); background: var(--ab-muted); }
.ab-tp-status b[data-kind="held out"] { background: var(--ab-ink); }
.ab-tp-status b[data-kind="new"] { background: none; color: var(--ab-ink);
  box-shadow: inset 0 0 0 1.5px var(--ab-muted); }
.ab-tp-found { margin: 0.75rem 0 0; padding: 0 0.875rem; }
.ab-card .ab-tp-found p { color: var(--ab-muted); font-size: 13.5px; line-height: 1.4; }
.ab-tp-found .ab-rows { margin-top: 0.25rem; }
.ab-card .ab-tp-result + .ab-controls { margin: 0 0 0.875rem; }
.ab-tp-result + .ab-controls .ab-control.ab-range { flex-basis: 230px; }
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-tp-steps { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.ab-card .ab-tp-steps .ab-button:disabled { opacity: 0.45; cursor: default; color: var(--ab-ink);
  border-color: var(--ab-line); }
.ab-card p.ab-tp-said { flex: 1 1 100%; margin: 0 0 0.25rem; min-height: calc(2.9em + 1rem); } /* two lines */
@media (max-width: 480px) {
  .ab-tp-tries li:nth-child(n + 3):nth-last-child(n + 3) { display: none; } /* a few are enough */
  .ab-card p.ab-tp-said { min-height: calc(7.25em + 1rem); }
}
.ab-tp-words { margin-top: 0.75rem; }
.ab-tp-words summary { cursor: pointer; font-weight: 550; }
.ab-card .ab-tp-words p { max-height: 11rem; overflow: auto; margin-top: 0.375rem; color: var(--ab-muted); }
.ab-tp-word { cursor: pointer; outline: none; }
.ab-card .ab-stage .ab-tp-word:focus-visible { outline: none; }
.ab-tp-word .ab-ring { stroke-width: 2.5; }
.ab-tp-word:focus-visible .ab-ring { stroke: var(--ab-accent); }
@media (prefers-reduced-motion: no-preference) {
  .ab-tp-in { animation: ab-tp-in 0.35s ease-out; }
  @keyframes ab-tp-in { from { opacity: 0; } }
}`;
