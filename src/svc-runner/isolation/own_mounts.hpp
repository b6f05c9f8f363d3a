#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace svc::runner {

// A run's directory is bounded by a tmpfs of a given size. Mounting needs a mount namespace that is ours: as root one
// of its own, else one in a user namespace that knows this user alone. What is mounted there vanishes with the
// processes, also when they are killed, and nobody else sees it.

/// Gives this process that namespace; false, and nothing changed, where the machine does not allow it. Before the
/// first thread. Without root, files of other users seem to be nobody's from then on, and for a moment processes of
/// this user may look into this one, which could read its token's file or first environment as well.
bool take_own_mounts();

/// A tmpfs over an empty directory, for `owner` (nothing: for us). False and errno.
bool mount_room(std::string const& directory, std::int64_t megabytes, std::optional<std::int64_t> owner);
void unmount_room(std::string const& directory);

}  // namespace svc::runner
