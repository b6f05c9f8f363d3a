/** The icons and signs that the pages use, from the design. The application renders this once. */

const STROKE = { stroke: "currentColor", strokeLinecap: "round", strokeLinejoin: "round" } as const;
const MARK = { stroke: "var(--sign-mark)", strokeLinecap: "round", strokeLinejoin: "round" } as const;

const SHAPES = {
  "i-menu": <><path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/></>,
  "i-updown": <><path d="M5.5 6.25 8 3.75l2.5 2.5M5.5 9.75 8 12.25l2.5-2.5"/></>,
  "i-search": <><circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3 3"/></>,
  "i-x": <><path d="m4 4 8 8M12 4l-8 8"/></>,
  "i-overview": (
    <>
      <rect x="2.5" y="2.5" width="4.5" height="6.25" rx="1.25"/>
      <rect x="9.25" y="2.5" width="4.25" height="3.5" rx="1.25"/>
      <rect x="9.25" y="8.25" width="4.25" height="5.25" rx="1.25"/>
      <rect x="2.5" y="11" width="4.5" height="2.5" rx="1.25"/>
    </>
  ),
  "i-jobs": <><rect x="2.25" y="2.25" width="11.5" height="11.5" rx="2.75"/><path d="M6.75 5.75v4.5L10.25 8z"/></>,
  "i-runs": <><path d="M2.5 4h6M4.75 8h7M8 12h5.5"/></>,
  "i-key": <><circle cx="5.25" cy="10.75" r="2.75"/><path d="m7.25 8.75 6-6M10.75 5.25l2 2"/></>,
  "i-plus": <><path d="M8 3v10M3 8h10"/></>,
  "i-down": <><path d="M4.5 6.25 8 9.75l3.5-3.5"/></>,
  "i-sort": <><path d="M8 3.5v9M5 9.5l3 3 3-3"/></>,
  "i-play": <><path d="M5 3.25v9.5L12.75 8z"/></>,
  "i-more": <><path strokeWidth="2" d="M3.5 8h.01M8 8h.01M12.5 8h.01"/></>,
  "i-left": <><path d="M9.75 4.5 6.25 8l3.5 3.5"/></>,
  "i-right": <><path d="M6.25 4.5 9.75 8l-3.5 3.5"/></>,
  "i-rerun": <><path d="M13.25 8A5.25 5.25 0 1 1 11.4 4M13.25 2v2.75H10.5"/></>,
  "i-copy": (
    <>
      <rect x="5.75" y="5.75" width="7.75" height="7.75" rx="1.75"/>
      <path d="M3.5 10.25a1 1 0 0 1-1-1V4a1.5 1.5 0 0 1 1.5-1.5h5.25a1 1 0 0 1 1 1"/>
    </>
  ),
  "i-terminal": <><rect x="2" y="2.75" width="12" height="10.5" rx="2"/><path d="m4.75 6 2 2-2 2M8.5 10.25h2.75"/></>,
  "i-tag": <><path d="M2.5 3.5a1 1 0 0 1 1-1h4.4l5.35 5.35a1.5 1.5 0 0 1 0 2.1l-3.3 3.3a1.5 1.5 0 0 1-2.1 0L2.5 7.9zM5.5 5.5h.01"/></>,
  "i-trash": <><path d="M2.75 4.25h10.5M6.25 4.25v-1.5h3.5v1.5M4.25 4.25l.55 8.3a1 1 0 0 0 1 .95h4.4a1 1 0 0 0 1-.95l.55-8.3"/></>,
  "i-check": <><path d="m3 8.5 3.25 3.25L13 4.75"/></>,
  "i-external": (
    <>
      <path d="M9.5 2.75h3.75V6.5M13 3 7.75 8.25"/>
      <path d="M11.5 9.5v2.25a1.5 1.5 0 0 1-1.5 1.5H4.25a1.5 1.5 0 0 1-1.5-1.5V6a1.5 1.5 0 0 1 1.5-1.5H6.5"/>
    </>
  ),
  "i-wrap": <><path d="M2.5 3.75h11M2.5 7.75h8.9a2.1 2.1 0 0 1 0 4.2H8.5M9.9 10.4l-1.55 1.55L9.9 13.5M2.5 11.95H5"/></>,
  "i-tests": <><path d="m2.25 4.25 1.25 1.25L5.75 3M8.5 4.25h5.25M2.25 11l1.25 1.25 2.25-2.5M8.5 11h5.25"/></>,
  "i-stop": <><rect x="4" y="4" width="8" height="8" rx="1.5"/></>,
  "i-users": (
    <>
      <circle cx="6" cy="5.5" r="2.5"/>
      <path d="M1.75 13.25a4.25 4.25 0 0 1 8.5 0M10.75 3.2a2.4 2.4 0 0 1 0 4.6M12.25 9.75a4.2 4.2 0 0 1 2 3.5"/>
    </>
  ),
  "i-user-x": <><circle cx="6.75" cy="5.25" r="2.75"/><path d="M1.75 13.5a5 5 0 0 1 8-4M11 10.75l3 3M14 10.75l-3 3"/></>,
  "i-building": (
    <>
      <path d="M3.25 13.5v-10a1 1 0 0 1 1-1h4.5a1 1 0 0 1 1 1v10M9.75 6.5h2a1 1 0 0 1 1 1v6M2 13.5h12M6 5.5h1M6 8h1M6 10.5h1"/>
    </>
  ),
  "i-shield": <><path d="M8 2 3 3.75v4C3 11 5.25 13 8 14c2.75-1 5-3 5-6.25v-4z"/></>,
  "i-globe": <><circle cx="8" cy="8" r="5.75"/><path d="M2.25 8h11.5M8 2.25c3.25 3.5 3.25 8 0 11.5M8 2.25c-3.25 3.5-3.25 8 0 11.5"/></>,
  "i-clock": <><circle cx="8" cy="8" r="5.75"/><path d="M8 4.75V8l2.25 1.5"/></>,
  "i-sliders": (
    <>
      <path d="M2.5 5H8M12.25 5h1.25M2.5 11h1.25M8 11h5.5"/>
      <circle cx="10.1" cy="5" r="1.9"/>
      <circle cx="5.9" cy="11" r="1.9"/>
    </>
  ),
  "i-arrow": <><path d="M3 8h9.75M9 4.25 12.75 8 9 11.75"/></>,
  "i-arrow-down": <><path d="M8 3v9.75M4.25 9 8 12.75 11.75 9"/></>,
  "i-download": <><path d="M8 2.5v7.25M5 6.9l3 3 3-3M2.75 13h10.5"/></>,
  "i-info": <><circle cx="8" cy="8" r="5.75"/><path d="M8 7.5v3.25M8 5.25h.01"/></>,
  "i-mail": <><rect x="2" y="3.25" width="12" height="9.5" rx="1.75"/><path d="M2.75 4.75 8 8.9l5.25-4.15"/></>,
  "i-calendar": <><rect x="2.5" y="3.5" width="11" height="10" rx="1.75"/><path d="M2.5 6.75h11M5.5 2v2.5M10.5 2v2.5"/></>,
  "i-edit": <><path d="m10.75 2.75 2.5 2.5-7.5 7.5-3.25.75.75-3.25z"/></>,
  "i-audit": <><rect x="3.25" y="2.25" width="9.5" height="11.5" rx="1.75"/><path d="M6 5.75h4M6 8.25h4M6 10.75h2"/></>,
  "i-server": (
    <>
      <rect x="2.5" y="2.75" width="11" height="4.25" rx="1.5"/>
      <rect x="2.5" y="9" width="11" height="4.25" rx="1.5"/>
      <path d="M5.25 4.9h.01M5.25 11.1h.01"/>
    </>
  ),
  "i-send": <><path d="M13.75 2.25 2 6.75l4.75 2.5L9.25 14zM6.75 9.25l3-3"/></>,
  "i-pulse": <><path d="M1.75 8.5h2.5l2-5.5 3.25 10 2-4.5h2.75"/></>,
  "i-outage": <><path d="M1.75 4.25h3v7.5h6.5v-7.5h3"/></>,
  "i-bell": <><path d="M4 6.75a4 4 0 0 1 8 0c0 3.5 1.5 4.25 1.5 4.25h-11S4 10.25 4 6.75zM6.5 13.25a1.6 1.6 0 0 0 3 0"/></>,
  "i-bell-off": (
    <>
      <path d="M12 6.75a4 4 0 0 0-6.5-3.1M4 6.75C4 10.25 2.5 11 2.5 11H11M6.5 13.25a1.6 1.6 0 0 0 3 0M2.5 2.5l11 11"/>
    </>
  ),
  "i-braces": (
    <>
      <path d="M6 2.75c-1.5 0-2 .75-2 2V6c0 1.25-.5 2-1.75 2C3.5 8 4 8.75 4 10v1.25c0 1.25.5 2 2 2"/>
      <path d="M10 2.75c1.5 0 2 .75 2 2V6c0 1.25.5 2 1.75 2C12.5 8 12 8.75 12 10v1.25c0 1.25-.5 2-2 2"/>
    </>
  ),
  "i-gauge": <><path d="M3 12.25a6 6 0 1 1 10 0M8 9.25 10.75 6"/></>,
  "i-pause": <><path d="M5.75 3.5v9M10.25 3.5v9"/></>,
  "i-broadcast": (
    <>
      <circle cx="8" cy="8" r="1.25"/>
      <path
        d={"M5.25 10.75a3.9 3.9 0 0 1 0-5.5M10.75 5.25a3.9 3.9 0 0 1 0 5.5M3.1 12.9a6.95 6.95 0 0 1 0-9.8" +
          "M12.9 3.1a6.95 6.95 0 0 1 0 9.8"}
      />
    </>
  ),
  "i-rss": <path d="M3 8.25A4.75 4.75 0 0 1 7.75 13M3 3.75A9.25 9.25 0 0 1 12.25 13M3.5 12.5h.01"/>,
  "i-wrench": (
    <>
      <path
        d={"M11.45 2.4 9.3 4.55l.3 1.85 1.85.3 2.15-2.15a3.35 3.35 0 0 1-4.5 4.05l-4.6 4.6" +
          "a1.25 1.25 0 0 1-1.8-1.8l4.6-4.6a3.35 3.35 0 0 1 4.15-4.4z"}
      />
    </>
  ),
  "s-passed": <><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="m4.9 8.3 2.15 2.15L11.2 6" {...MARK} strokeWidth="1.7"/></>,
  "s-partial": (
    <>
      <rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/>
      <path d="M5 8h6" {...MARK} strokeWidth="1.9"/>
    </>
  ),
  "s-failed": (
    <>
      <rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/>
      <path d="m5.4 5.4 5.2 5.2M10.6 5.4l-5.2 5.2" {...MARK} strokeWidth="1.7"/>
    </>
  ),
  "s-error": (
    <>
      <path d="M8 1.5 14.5 8 8 14.5 1.5 8z" fill="currentColor" {...STROKE} strokeWidth="1.5"/>
      <path d="M8 4.9v3.5M8 10.9h.01" {...MARK} strokeWidth="1.7"/>
    </>
  ),
  "s-timed-out": (
    <>
      <circle cx="8" cy="9" r="6" fill="currentColor"/>
      <path d="M6.25 1.35h3.5M8 1.5V3" {...STROKE} strokeWidth="1.7"/>
      <path d="M8 5.9V9l2.1 1.5" {...MARK} strokeWidth="1.6"/>
    </>
  ),
  "s-running": (
    <>
      <circle cx="8" cy="8" r="6" {...STROKE} strokeWidth="2" strokeOpacity="0.28"/>
      <path className="sign-spin" d="M8 2a6 6 0 0 1 6 6" {...STROKE} strokeWidth="2"/>
      <circle cx="8" cy="8" r="2" fill="currentColor"/>
    </>
  ),
  "s-queued": (
    <>
      <circle cx="8" cy="8" r="6.25" {...STROKE} strokeWidth="1.5"/>
      <path d="M5.1 8h.01M8 8h.01M10.9 8h.01" {...STROKE} strokeWidth="1.9"/>
    </>
  ),
  "s-cancelled": (
    <>
      <circle cx="8" cy="8" r="6.25" {...STROKE} strokeWidth="1.5"/>
      <path d="m4.6 11.4 6.8-6.8" {...STROKE} strokeWidth="1.5"/>
    </>
  ),
  "s-degraded": (
    <>
      <path d="M8 2.25 14.25 13.4H1.75z" fill="currentColor" {...STROKE} strokeWidth="2"/>
      <path d="M8 6.1v3.3M8 11.6h.01" {...MARK} strokeWidth="1.7"/>
    </>
  ),
  "s-paused": (
    <>
      <circle cx="8" cy="8" r="6.25" {...STROKE} strokeWidth="1.5"/>
      <path d="M6.4 5.9v4.2M9.6 5.9v4.2" {...STROKE} strokeWidth="1.6"/>
    </>
  ),
  "s-maintenance": (
    <>
      <path d="m8 1.5 5.6 3.25v6.5L8 14.5l-5.6-3.25v-6.5z" fill="currentColor" {...STROKE} strokeWidth="1.25"/>
      <circle cx="8" cy="8" r="2.5" fill="var(--sign-mark)"/>
    </>
  ),
  "s-unknown": (
    <>
      <circle cx="8" cy="8" r="6.25" {...STROKE} strokeWidth="1.5" strokeDasharray="2.2 2.7"/>
      <path d="M6.35 6.5A1.7 1.7 0 1 1 8.75 8c-.5.3-.75.6-.75 1.15M8 11.2h.01" {...STROKE} strokeWidth="1.5"/>
    </>
  ),
  "s-info": <><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M8 7.6v3.6M8 4.9h.01" {...MARK} strokeWidth="1.7"/></>,
};

type Shape = keyof typeof SHAPES;
export type IconName = Shape extends infer S ? (S extends `i-${infer N}` ? N : never) : never;
export type SignName = Shape extends infer S ? (S extends `s-${infer N}` ? N : never) : never;

export function Sprite() {
  return (
    <svg className="sprite" aria-hidden="true" focusable="false">
      {Object.entries(SHAPES).map(([id, shape]) => (
        <symbol key={id} id={id} viewBox="0 0 16 16">{shape}</symbol>
      ))}
    </svg>
  );
}
