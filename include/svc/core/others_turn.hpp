#pragma once

#include "svc/core/async.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace svc {

/// Large texts are handled in pieces of so many bytes. To fill new memory costs a page fault for each of its pages,
/// which can take 15 µs: a megabyte is a matter of milliseconds.
inline constexpr std::size_t piece_of_turn = 512UL * 1024;

/// Lets the worker's other work go on; what follows is a turn of its own.
task<> others_turn();

/// A copy of a text that `owner` keeps alive; of a large one, made in several turns.
task<std::string> copy_in_turns(std::shared_ptr<void const> owner, std::string_view text);

}  // namespace svc
