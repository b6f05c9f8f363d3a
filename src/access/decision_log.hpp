#pragma once

#include "svc/access/admission.hpp"

namespace svc::access::decision_log {

/// Test builds append a line per admission to the file that SVC_DECISION_LOG names: Redis time, subject, class,
/// window, limit, verdict, `shared` (decided in Redis) or `local`. Other builds do nothing.
#ifdef SVC_FAILPOINTS
void record(admission_request const& asked, admission_reply const& got);
void record_local(std::string const& subject, limit_decision const& decided);
#else
inline void record(admission_request const&, admission_reply const&) {}
inline void record_local(std::string const&, limit_decision const&) {}
#endif

}  // namespace svc::access::decision_log
