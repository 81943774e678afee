/* How the figure of a real model looks, beside what all figures share. */

export const STYLE = `
.ab-rs-ask { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 0.75rem; align-items: center; }
.ab-rs-ask label { font-weight: 550; margin: 0; }
.ab-rs-ask input { min-width: 0; font: inherit; font-size: 16px; padding: 6px 10px; min-height: 40px;
  color: var(--ab-ink); background: var(--ab-ground); border: 1.5px solid var(--ab-line); border-radius: 8px; }
.ab-rs-ask input:focus-visible { outline: 3px solid var(--ab-accent); outline-offset: 1px; }
.ab-rs-ask .ab-button, .ab-rs-loading { grid-column: 2; justify-self: start; min-height: 40px; }
.ab-rs-loading { display: flex; gap: 0.75rem; align-items: center; font-variant-numeric: tabular-nums; }
.ab-rs-loading progress { width: 12rem; accent-color: var(--ab-accent); }
.ab-card p.ab-rs-status { color: var(--ab-muted); margin: 0.5rem 0; min-height: 1.45em; overflow-wrap: anywhere; }
.ab-rs-pieces { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0 0 0.75rem; }
.ab-rs-pieces button { font: inherit; min-height: 28px; min-width: 26px; padding: 2px 7px; cursor: pointer;
  color: var(--ab-ink); background: var(--ab-panel); border: 1px solid var(--ab-line); border-radius: 6px; }
.ab-rs-pieces button[aria-pressed="true"] { border: 2px solid var(--ab-query); padding: 1px 6px; font-weight: 650; }
.ab-rs-pieces button.ab-rs-other { text-decoration: underline dotted var(--ab-key); text-underline-offset: 4px; }
.ab-rs-pieces button:focus-visible { outline: 3px solid var(--ab-accent); outline-offset: 1px; }
.ab-card .ab-rs-older { opacity: 0.35; filter: grayscale(1); }
.ab-card p.ab-rs-cost { color: var(--ab-muted); font-size: 13px; margin-top: 0.75rem; }
@media (max-width: 480px) {
  .ab-rs-ask { grid-template-columns: 1fr; gap: 0.25rem; }
  .ab-rs-ask .ab-button, .ab-rs-loading { grid-column: 1; }
}`;
