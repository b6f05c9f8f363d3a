#pragma once

#include <string_view>

namespace svc::pages {

/// The icons and signs of all pages. Their shapes are those of the dashboard.
inline constexpr std::string_view sprite = R"svg(<svg class="sprite" aria-hidden="true" focusable="false">
<symbol id="i-left" viewBox="0 0 16 16"><path d="M9.75 4.5 6.25 8l3.5 3.5"/></symbol>
<symbol id="i-mail" viewBox="0 0 16 16"><rect x="2" y="3.25" width="12" height="9.5" rx="1.75"/><path d="M2.75 4.75 8 8.9l5.25-4.15"/></symbol>
<symbol id="i-right" viewBox="0 0 16 16"><path d="M6.25 4.5 9.75 8l-3.5 3.5"/></symbol>
<symbol id="i-rss" viewBox="0 0 16 16"><path d="M3 8.25A4.75 4.75 0 0 1 7.75 13M3 3.75A9.25 9.25 0 0 1 12.25 13M3.5 12.5h.01"/></symbol>
<symbol id="s-degraded" viewBox="0 0 16 16"><path d="M8 2.25 14.25 13.4H1.75z" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"/><path d="M8 6.1v3.3M8 11.6h.01" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-failed" viewBox="0 0 16 16"><rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/><path d="m5.4 5.4 5.2 5.2M10.6 5.4l-5.2 5.2" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-info" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M8 7.6v3.6M8 4.9h.01" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-maintenance" viewBox="0 0 16 16"><path d="m8 1.5 5.6 3.25v6.5L8 14.5l-5.6-3.25v-6.5z" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.25"/><circle cx="8" cy="8" r="2.5" fill="var(--sign-mark)"/></symbol>
<symbol id="s-partial" viewBox="0 0 16 16"><rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/><path d="M5 8h6" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.9"/></symbol>
<symbol id="s-passed" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="m4.9 8.3 2.15 2.15L11.2 6" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-queued" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.25" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5"/><path d="M5.1 8h.01M8 8h.01M10.9 8h.01" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.9"/></symbol>
<symbol id="s-running" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2" stroke-opacity="0.28"/><path class="sign-spin" d="M8 2a6 6 0 0 1 6 6" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"/><circle cx="8" cy="8" r="2" fill="currentColor"/></symbol>
<symbol id="s-unknown" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.25" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5" stroke-dasharray="2.2 2.7"/><path d="M6.35 6.5A1.7 1.7 0 1 1 8.75 8c-.5.3-.75.6-.75 1.15M8 11.2h.01" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5"/></symbol>
</svg>
)svg";

}  // namespace svc::pages
