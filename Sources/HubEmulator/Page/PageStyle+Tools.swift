/// The style of the pages beside the one with the phones, and of the dialog with one send.
extension PageStyle {
    static let tools = """
        .tool { display: grid; gap: 1.2rem; padding: 1.4rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 78rem; margin: auto; }
        .tool > *, .tool > div { min-width: 0; } .tool .panel { padding: 1.2rem 1.4rem; } .tool .panel h2 { font-size: 1.1rem; margin-bottom: .5rem; }
        .tool div[data-part] > .panel + .panel { margin-top: 1.2rem; } .soft { color: var(--soft); margin-bottom: .9rem; }
        .form form { display: grid; gap: .8rem; max-width: 38rem; } .form label { display: grid; gap: .2rem; font-weight: 550; font-size: .88rem; }
        .form input:not([type=checkbox]), .form select, .form textarea { font: inherit; font-weight: 400; font-size: .95rem; color: var(--ink);
          background: var(--ground); border: 1px solid var(--line); border-radius: 9px; padding: .45rem .7rem; width: 100%; }
        @media (min-width: 52rem) { .form form[data-live] { grid-template-columns: 1fr 2fr 1fr; max-width: none; } }
        .form p:has(> [hidden]) { display: none; } .form textarea { font: 13px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; resize: vertical; }
        .form ::placeholder { color: var(--soft); opacity: 1; } .form .check { display: flex; gap: .5rem; align-items: center; font-weight: 400; }
        .words { color: var(--bad); overflow-wrap: anywhere; } .form .words { margin-bottom: .8rem; }
        .buttons { display: flex; flex-wrap: wrap; gap: .5rem; } .buttons button, .tool .panel .main { padding: .42rem .85rem; font-size: .9rem; }
        .wide { overflow-x: auto; position: relative; } table { border-collapse: collapse; width: 100%; font-size: .86rem; }
        th { text-align: left; color: var(--soft); font-weight: 550; white-space: nowrap; } th, td { padding: .45rem .9rem .45rem 0; vertical-align: baseline; }
        tbody tr { border-top: 1px solid var(--line); } td { overflow-wrap: break-word; min-width: 5rem; } td .code { font-weight: 650; white-space: nowrap; }
        .headers th { font: 12px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; width: 1%; }
        .headers td { font: 12px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; } .headers tr:first-child { border-top: 0; }
          .headers td { overflow-wrap: anywhere; } td code { word-break: break-all; } td:has(code) { min-width: 9rem; }
        .report { display: grid; gap: 1.1rem; min-width: 0; } .report > * { min-width: 0; }
        .report > header { display: flex; gap: 1rem; align-items: center; } .report > header .soft { margin: 0; font-size: .88rem; }
        .report h2 { font-size: 1.2rem; letter-spacing: -.01em; overflow-wrap: anywhere; } .report h3 { font-size: .92rem; margin-bottom: .3rem; }
        .report h3 button { padding: 0 .6rem; font-size: .78rem; margin-left: .4rem; }
        .report > header .code { font-size: 1.35rem; font-weight: 700; padding: .35rem .8rem; border-radius: 12px; border: 2px solid currentColor;
          font-variant-numeric: tabular-nums; white-space: nowrap; }
        .verdict { font-size: 1.02rem; } .verdict b { font-size: 1.5rem; letter-spacing: -.02em; }
        .rule { border-left: 3px solid var(--bad); padding-left: .9rem; } .line { overflow-wrap: anywhere; margin-bottom: .3rem; }
        .two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.1rem 2rem; }
        .rows li { padding: .4rem 0; border-top: 1px solid var(--line); font-size: .88rem; overflow-wrap: anywhere; } .rows li:first-child { border-top: 0; }
        .rows li > a { font-weight: 600; margin-right: .4rem; } .rows span, .rows small { color: var(--soft); } .tool .none { font-size: .84rem; }
        .report pre, .tool .panel pre { background: var(--ground); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .9rem; white-space: pre-wrap;
          overflow-wrap: anywhere; max-height: 22rem; overflow-y: auto; }
        .tool .its-page { display: none; } .tool > .report { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; padding: 1.4rem 1.6rem; }
        dialog { border: 1px solid var(--line); border-radius: 18px; padding: 0; margin: auto; width: min(62rem, calc(100vw - 1.6rem));
          max-height: calc(100vh - 2rem); background: var(--paper); color: var(--ink); box-shadow: var(--shadow); }
        .sheet { padding: 1.4rem 1.6rem; } dialog::backdrop { background: #0e101699; } dialog .close { float: right; padding: .2rem .7rem;
          position: sticky; top: 1rem; z-index: 1; margin-left: -6rem; } dialog .report > header { padding-right: 5rem; }
        @media (max-width: 34rem) { .tool > .report, .sheet { padding: 1rem; } .report > header { align-items: flex-start; }
          .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .wide tr { display: block; padding: .5rem 0; } .wide tr:first-child { border-top: 0; } .wide td, .headers th { display: block; width: auto; padding: .1rem 0; }
          .wide td:empty { display: none; } td[data-label] { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: .6rem; }
          td[data-label]::before { content: attr(data-label); color: var(--soft); } .headers td { padding-bottom: .3rem; } }

        """
}
