import type { ReactNode } from "react";
import { Brand } from "../../parts/icon";
import { LostStoreBanners } from "../../parts/lost_store_banners";

/** The frame of the pages before the sign-in. */
export function Gate({ title, children, foot }: { title: string; children: ReactNode; foot?: ReactNode }) {
  return (
    <main className="gate" id="main">
      <div className="gate-main">
        <div className="stack g-3">
          <span className="brand"><Brand /></span>
          <h1>{title}</h1>
          <p className="muted">{location.host}</p>
        </div>
        <LostStoreBanners />
        <div className="gate-card">{children}</div>
        {foot && <p className="small faint">{foot}</p>}
      </div>
    </main>
  );
}
