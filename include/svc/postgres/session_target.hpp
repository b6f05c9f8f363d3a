#pragma once

namespace svc::postgres {

/// What a session of that connection string asks for beside it, as libpq's `target_session_attrs`; null: nothing.
/// Of several hosts one may be a standby, which answers from the past: without a word of the operator's (in the
/// string or in PGTARGETSESSIONATTRS) only a primary will do.
char const* default_session_target(char const* url);

}  // namespace svc::postgres
