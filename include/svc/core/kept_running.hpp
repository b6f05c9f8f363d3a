#pragma once

#include "svc/core/async.hpp"

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace svc {

/// Logs what ended a piece of work that nobody waits for. `work`: a constant sentence.
void log_failure(std::string_view work, std::exception_ptr const& failure);

/// Runs `run` until it returns. If it throws instead, which only a bug or exhausted memory causes, the log says so,
/// `reset` is called, and `run` starts again after a second: a loop on which others depend never ends unnoticed.
/// `goes_on`: false once the loop is no longer wanted.
task<> keep_running(std::string work, std::function<bool()> goes_on, std::function<void()> reset,
                    std::function<task<>()> run);

}  // namespace svc
