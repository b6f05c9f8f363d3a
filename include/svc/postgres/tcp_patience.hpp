#pragma once

namespace svc::postgres {

/// How soon each side of a session notices that the other has vanished, if the URL does not choose: an idle one by
/// keepalives, after so many seconds and probes; one that is sent something by what is not acknowledged for so many
/// milliseconds. Texts, as libpq and the server take them.
inline constexpr auto keepalive_idle = "5", keepalive_interval = "2", keepalive_count = "3", unacknowledged = "5000";

}  // namespace svc::postgres
