#pragma once

#include <string>

namespace svc::app::dev {

/// A store of an earlier run that still works on `directory` (we hold its lock, so nobody owns it any more) is
/// asked to end, then made to. A pid file whose number belongs to something else is removed: the store would
/// refuse to start because of it.
void end_old_server(std::string const& directory, std::string const& pid_file);

}  // namespace svc::app::dev
