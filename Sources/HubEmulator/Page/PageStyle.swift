/// The page's style sheet: light and dark, wide and narrow.
enum PageStyle {
    static let source = base + frame + phones + panels + tools

    private static let base = """
        :root { color-scheme: light dark; --ground: #f3f4f8; --paper: #fff; --ink: #14161d; --soft: #5a6072;
          --line: #dfe2ea; --accent: #4a3fd6; --accent-soft: #e9e7ff; --good: #0b7a4b; --slow: #8a5a00; --bad: #b3261e;
          --bezel: #1b1d24; --shadow: 0 1px 2px #1018281a, 0 12px 32px -12px #10182833; }
        @media (prefers-color-scheme: dark) { :root { --ground: #0e1016; --paper: #181b24; --ink: #eceef6; --soft: #a3a9bc;
          --line: #2a2e3b; --accent: #a59eff; --accent-soft: #2a2657; --good: #5bd6a0; --slow: #f0bf5a; --bad: #ff8f86;
          --bezel: #2b2f3b; --shadow: 0 1px 2px #0008, 0 16px 40px -16px #000c; } }
        * { box-sizing: border-box; margin: 0; }
        body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto,
          "Noto Sans", "Noto Sans CJK SC", sans-serif; min-height: 100vh; }
        a { color: var(--accent); } ol, ul { list-style: none; padding: 0; }
        [hidden], [data-part^=carry] { display: none !important; }
        button, .button { font: inherit; font-weight: 550; color: var(--ink); background: var(--paper); border: 1px solid var(--line);
          border-radius: 9px; padding: .42rem .85rem; cursor: pointer; text-decoration: none; }
        button:hover, .button:hover { border-color: var(--accent); }
        button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
        pre, code { font: 12px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; }
        .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--paper);
          padding: .5rem 1rem; } .none { color: var(--soft); padding: .2rem 0 .4rem; }

        """

    private static let frame = """
        .top { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem 2.5rem; padding: 1.1rem clamp(1rem, 3vw, 2.5rem) 0;
          background: var(--paper); border-bottom: 1px solid var(--line); }
        .brand { display: flex; align-items: center; gap: .8rem; } .brand h1 { font-size: 1.25rem; line-height: 1.2;
          letter-spacing: -.015em; overflow-wrap: anywhere; } .brand p { color: var(--soft); font-size: .86rem; }
        .live { margin-left: .45rem; padding: .05rem .5rem; border-radius: 99px; border: 1px solid var(--line); font-size: .76rem; }
        .live.on { color: var(--good); border-color: currentColor; } .live.off { color: var(--slow); border-color: currentColor; }
        .live.on::before { content: ""; display: inline-block; width: .45rem; height: .45rem; border-radius: 50%;
          background: currentColor; margin-right: .35rem; animation: breathe 2.4s infinite; }
        @keyframes breathe { 50% { opacity: .35; } }
        #pause { padding: 0 .55rem; font-size: .76rem; border-radius: 99px; margin-left: .2rem; }
        .places { flex-basis: 100%; display: flex; gap: .2rem 1.6rem; overflow-x: auto; scrollbar-width: none; }
        .places a { color: var(--soft); text-decoration: none; font-weight: 550; padding: .1rem 0 .55rem; white-space: nowrap;
          border-bottom: 2px solid transparent; } .places a:hover { color: var(--ink); }
        .places a[aria-current] { color: var(--ink); border-color: var(--accent); }
        .banner { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.2rem; padding: .6rem clamp(1rem, 3vw, 2.5rem);
          background: var(--accent-soft); } .banner button { padding: .2rem .7rem; }
        .counts { display: flex; flex-wrap: wrap; gap: .6rem 2rem; margin-left: auto; }
        .counts dt { color: var(--soft); font-size: .76rem; } .counts dd { font-size: 1.35rem; font-weight: 650; line-height: 1.15;
          letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
        .layout { display: grid; grid-template: "phones notices" auto "phones journal" 1fr / minmax(0, 1fr) 23rem; gap: 1.2rem 1.8rem;
          padding: 1.4rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 120rem; margin: auto; }
        .bar { display: flex; flex-wrap: wrap; gap: .8rem 1.4rem; align-items: center; margin-bottom: 1.4rem; }
        .hubs { display: flex; flex-wrap: wrap; gap: .3rem; padding: .25rem; background: var(--paper); border: 1px solid var(--line);
          border-radius: 12px; } .hubs a { padding: .28rem .8rem; border-radius: 8px; color: var(--ink); text-decoration: none; }
        .hubs a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
        .bar form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
        .layout > main { grid-area: phones; } .notices { grid-area: notices; } .journal { grid-area: journal; }
        .bar span:empty { display: none; } .bar > .button { margin-left: auto; }
        .bar input { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 9px;
          padding: .42rem .7rem; width: 13rem; max-width: 100%; } .bar input[name=tag] { width: 9rem; }
        .bar input::placeholder { color: var(--soft); opacity: 1; }
        .pager { display: flex; gap: 1.2rem; align-items: baseline; justify-content: center; padding: 1.8rem 0 0; color: var(--soft);
          font-variant-numeric: tabular-nums; } .pager a { text-decoration: none; font-weight: 600; }
        .pager:not(:has(*)) { display: none; }
        .empty-page { background: var(--paper); border: 1px solid var(--line); border-radius: 18px; padding: 2.2rem; max-width: 38rem; }
        .empty-page p { color: var(--soft); margin: .5rem 0; } .empty-page pre { background: var(--ground); border-radius: 9px;
          padding: .7rem .9rem; overflow: auto; }
        @media (max-width: 68rem) { .layout { grid-template: "notices" "phones" "journal" / minmax(0, 1fr); } .counts { margin-left: 0; } }
        @media (max-width: 34rem) { .phones { grid-template-columns: minmax(0, 1fr) !important; } .counts { gap: .6rem 1.3rem; }
          .bar form, .bar input, .bar input[name=tag] { width: 100%; } .bar > .button { margin-left: 0; }
          .places { gap: .2rem 1.1rem; flex-wrap: wrap; } .layout { gap: 1rem; padding-top: 1rem; } .two { grid-template-columns: minmax(0, 1fr) !important; } }

        """

    private static let phones = """
        .phones { display: grid; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); gap: 2rem 1.6rem; }
        .phone article { max-width: 22rem; margin: 0 auto; }
        .frame { background: var(--bezel); padding: .55rem; border-radius: 2.6rem; box-shadow: var(--shadow); }
        .screen { position: relative; height: 25rem; border-radius: 2.1rem; overflow: auto; padding: 2.7rem .65rem .8rem;
          scrollbar-width: none; background: linear-gradient(165deg, #c9d4f7, #e9d9f2 55%, #f8dfd3); }
        .status { position: absolute; inset: .65rem 1.35rem auto; display: flex; justify-content: space-between; align-items: center;
          font-size: .78rem; font-weight: 650; color: #1b1d24; min-height: 1.2rem; }
        .signal { width: 1.35rem; height: .68rem; border: 1.5px solid currentColor; border-radius: 3px; opacity: .8;
          background: linear-gradient(90deg, currentColor 72%, transparent 0) content-box; padding: 1px; }
        .ios .status::after { content: ""; position: absolute; left: 50%; top: 0; width: 5.2rem; height: 1.35rem;
          margin-left: -2.6rem; border-radius: 1rem; background: #0b0c10; }
        .android .frame { border-radius: 1.9rem; padding: .4rem; } .android .screen { border-radius: 1.6rem; height: 25.3rem;
          background: linear-gradient(165deg, #cfe8dc, #d9e6f6 60%, #eee5f8); }
        .android .status::after { content: ""; position: absolute; left: 50%; top: .15rem; width: .85rem; height: .85rem;
          margin-left: -.42rem; border-radius: 50%; background: #0b0c10; }
        .windows .frame { border-radius: .9rem; padding: .4rem .4rem 1.5rem; } .windows .screen { border-radius: .6rem;
          background: linear-gradient(150deg, #bfe0f7, #d5dcf9 60%, #c9c6f2); height: 24.2rem; }
        .web .frame { border-radius: .9rem; padding: 1.7rem .35rem .35rem; position: relative; }
        .web .frame::before { content: ""; position: absolute; left: .9rem; top: .6rem; width: .55rem; height: .55rem;
          border-radius: 50%; background: #ff6a60; box-shadow: .9rem 0 #ffbd4a, 1.8rem 0 #33c758; }
        .web .screen { height: 24.05rem; } .web .screen, .plain .screen { border-radius: .6rem; background: linear-gradient(165deg, #dfe3ee, #eceef5); }
        .quiet { position: absolute; inset: 45% 0 auto; text-align: center; color: #3c4154; }
        @media (prefers-color-scheme: dark) {
          .screen { background: linear-gradient(165deg, #232a4d, #35264c 55%, #4a2c33); }
          .android .screen { background: linear-gradient(165deg, #1d3a30, #1f2c42 60%, #33284a); }
          .windows .screen { background: linear-gradient(150deg, #12324a, #202a55 60%, #2a2558); }
          .web .screen, .plain .screen { background: linear-gradient(165deg, #20232e, #2a2e3b); }
          .status, .quiet { color: #eceef6; } }
        .cards { display: grid; gap: .45rem; }
        .card { background: #ffffffd9; color: #14161d; border-radius: 1.15rem; padding: .6rem .8rem; overflow-wrap: anywhere;
          font-size: .88rem; line-height: 1.35; box-shadow: 0 1px 3px #1018281f; }
        .android .card { border-radius: 1.4rem; background: #fffffff0; } .windows .card { border-radius: .5rem; background: #f9fafdf2; }
        .web .card, .plain .card { border-radius: .6rem; background: #fff; }
        @media (prefers-color-scheme: dark) { .card, .android .card, .windows .card, .web .card, .plain .card {
          background: #232733f0; color: #f1f3fa; } }
        .card.new { animation: arrive .5s cubic-bezier(.2, .9, .3, 1.15); } .phone.new { animation: appear .4s; }
        .send.new { animation: appear .6s; }
        @keyframes arrive { from { opacity: 0; transform: translateY(-1.6rem) scale(.94); } }
        @keyframes appear { from { opacity: 0; } }
        @media (prefers-reduced-motion: reduce) { *, *::before { animation: none !important; } }
        .app { display: flex; align-items: center; gap: .4rem; font-size: .74rem; color: #4b5062; margin-bottom: .2rem; }
        .app .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .app time { margin-left: auto;
          font-variant-numeric: tabular-nums; white-space: nowrap; }
        .icon { flex: none; width: 1.25rem; height: 1.25rem; border-radius: .36rem; display: grid; place-items: center; color: #fff;
          font-weight: 700; font-size: .72rem; } .android .icon { border-radius: 50%; }
        .hue-0 { background: #4a3fd6; } .hue-1 { background: #b3261e; } .hue-2 { background: #0b6b66; } .hue-3 { background: #8a4b00; }
        .hue-4 { background: #0a5fb4; } .hue-5 { background: #a02673; } .hue-6 { background: #2f6b1d; } .hue-7 { background: #5c4a8a; }
        .card .title { font-weight: 650; } .card .subtitle { font-weight: 550; } .card .body { white-space: pre-line; }
        .card:not(:has(details[open])) :is(.title, .subtitle, .body) { display: -webkit-box; -webkit-box-orient: vertical;
          -webkit-line-clamp: 2; overflow: hidden; } .card:not(:has(details[open])) .body { -webkit-line-clamp: 6; }
        .card .problem { font-size: .8rem; font-style: italic; color: #4b5062; }
        .card.empty { box-shadow: inset 0 0 0 2px #b3261e; } .card.empty .problem { color: #a01f18; font-style: normal; font-weight: 600; }
        .actions { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .45rem; } .actions li { flex: 1; text-align: center;
          border-radius: .4rem; padding: .2rem .5rem; background: #e4e7f2; color: #14161d; font-weight: 550; font-size: .8rem; }
        .card details { margin-top: .25rem; font-size: .72rem; color: #4b5062; } .card summary { cursor: pointer; list-style: none; }
        .card summary span + span::before { content: " · "; display: inline-block; white-space: pre; } /* not underlined */
        .card .more { text-decoration: underline dotted; }
        .card pre { white-space: pre-wrap; margin-top: .35rem; font-size: 11px; max-height: 9rem; overflow: auto; }
        @media (prefers-color-scheme: dark) { .actions li { background: #3a4052; color: #f1f3fa; } .app, .card .problem, .card details { color: #b4bacb; }
          .card.empty { box-shadow: inset 0 0 0 2px #ff8f86; } .card.empty .problem { color: #ff9e96; } }
        .about { padding: .8rem .5rem 0; } .about h2 { font-size: 1rem; letter-spacing: -.01em; overflow: hidden;
          text-overflow: ellipsis; white-space: nowrap; }
        .facts { color: var(--soft); font-size: .84rem; } .facts span + span::before { content: " · "; color: var(--soft); }
        .facts .language { color: var(--ink); } .facts .note { color: var(--slow); }
        .tags { display: flex; flex-wrap: wrap; gap: .3rem; margin: .4rem 0; } .tags a { display: block; max-width: 15rem;
          overflow: hidden; text-overflow: ellipsis; white-space: nowrap; background: var(--accent-soft); color: var(--accent);
          border-radius: 99px; padding: .08rem .6rem; font-size: .78rem; text-decoration: none; font-weight: 550; }
        .tags a:hover { text-decoration: underline; } .tags li:not(:has(a)) { color: var(--soft); font-size: .78rem; }
        .foot { display: flex; gap: .6rem; align-items: center; justify-content: space-between; font-size: .78rem; color: var(--soft); }
        .foot span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .foot a { color: inherit; white-space: nowrap; margin-left: auto; }
        .foot button { padding: 0 .5rem; font-size: .76rem; border-radius: 99px; }

        """

    private static let panels = """
        aside { display: grid; gap: 1.2rem; align-content: start; min-width: 0; } aside > #faults:not(:has(.panel)) { display: none; }
        .panel { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; padding: .9rem 1.1rem; }
        .panel > header { display: flex; align-items: center; justify-content: space-between; margin-bottom: .4rem; }
        .panel h2 { font-size: .95rem; } .panel > header a { font-size: .8rem; } .panel button { padding: .12rem .6rem; font-size: .8rem; }
        .number { background: var(--accent-soft); color: var(--accent); border-radius: 99px; padding: .02rem .5rem; font-size: .78rem; }
        .find { display: flex; gap: .4rem; margin-bottom: .5rem; } .find input { flex: 1; min-width: 0; font: inherit; font-size: .84rem;
          color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 9px; padding: .3rem .6rem; }
        .find input::placeholder { color: var(--soft); opacity: 1; }
        .journal .hubs { padding: .15rem; width: fit-content; margin-bottom: .3rem; } .journal .hubs a { padding: .1rem .6rem; font-size: .8rem; }
        .send { position: relative; display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 .6rem; align-items: baseline; padding: .5rem 0;
          border-top: 1px solid var(--line); font-size: .84rem; } .send:first-child { border-top: 0; }
        .send .code { font-weight: 650; font-variant-numeric: tabular-nums; } .good .code { color: var(--good); }
        .slow .code { color: var(--slow); } .bad .code { color: var(--bad); }
        .send:hover .audience { text-decoration: underline; } .send .audience::after { content: ""; position: absolute; inset: 0; }
        .audience { color: inherit; text-decoration: none; font-weight: 550; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .send time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .78rem; }
        .outcome, .refusal { grid-column: 1 / -1; color: var(--soft); overflow-wrap: anywhere; } .refusal { color: var(--bad); }
        .warnings li, .faults li { padding: .5rem 0; border-top: 1px solid var(--line); font-size: .85rem; overflow-wrap: anywhere; }
        .warnings li:first-child, .faults li:first-child { border-top: 0; } .warnings small, .faults small { color: var(--soft); }
        .warnings li { padding-left: .8rem; border-left: 3px solid var(--slow); border-top: 0; margin-bottom: .5rem; padding-block: 0; }
        .more-warnings summary { cursor: pointer; color: var(--soft); font-size: .82rem; margin-bottom: .4rem; }
        #warnings:has(.warnings li) { border-color: var(--slow); }
        .faults { border-color: var(--bad); }

        """
}

/// The page's icon: a bell.
enum PageIcon {
    static let source = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="10" fill="#4a3fd6"/>\
        <path d="M18 8a7 7 0 0 0-7 7v5l-2.2 3.4c-.5.8 0 1.6.9 1.6h16.600c.9 0 1.400-.8.9-1.600L25 20v-5a7 7 0 0 0-7-7z" \
        fill="#fff"/><path d="M15 27a3 3 0 0 0 6 0z" fill="#c9c4ff"/></svg>
        """
}
