#include "svc/core/log.hpp"

#include "core/log_writer.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/core/time.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace svc::log {
namespace {

constexpr std::string_view level_names[] = {"debug", "info", "warn", "error", "off"};

// All threads share these variables; the writer has the lock.
std::unique_ptr<log_writer> writer;
std::atomic<level> threshold{level::off};

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::size_t written = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    auto const byte = static_cast<unsigned char>(c);
    bool const quoted = c == '"' || c == '\\';
    // Bytes beyond ASCII are escaped too: a client's text may not be UTF-8, and terminals obey some of these bytes.
    // Therefore this code is not the writer of answers (http/json.hpp), which keeps characters unchanged.
    if (!quoted && byte >= 0x20 && byte < 0x7f) continue;
    out.append(text, written, i - written);
    written = i + 1;
    if (quoted) {
      out += '\\';
      out += c;
    } else {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  out.append(text, written);
}

template <class Number>
void append_number(std::string& out, Number value) {
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

void append_value(std::string& out, field const& f) {
  if (auto const* text = std::get_if<std::string_view>(&f.value)) {
    out += '"';
    append_escaped(out, *text);
    out += '"';
  } else if (auto const* number = std::get_if<std::int64_t>(&f.value)) {
    append_number(out, *number);
  } else if (auto const* real = std::get_if<double>(&f.value)) {
    append_number(out, std::isfinite(*real) ? *real : 0.0);
  } else {
    out += std::get<bool>(f.value) ? "true" : "false";
  }
}

/// The time that a line may wait for other lines: too short for a person to notice, but under load one write carries
/// hundreds of lines.
constexpr std::chrono::milliseconds gathering{10};
/// The size from which lines are written at once; also the most memory that an empty buffer keeps.
constexpr std::size_t full = 256 * 1024;
/// The most bytes that may wait: a descriptor that stalls costs lines, not memory.
constexpr std::size_t most_waiting = 4 * 1024 * 1024;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(descriptor, bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd writable{descriptor, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return;  // no place is left for a report
    }
  }
}

}  // namespace

void start(level least) {
  set_level(least);
  if (!writer) writer = std::make_unique<log_writer>(STDERR_FILENO);
}

void stop() {
  writer.reset();
}

std::size_t dropped() {
  return writer ? writer->dropped() : 0;
}

bool enabled(level l) {
  return writer && l >= threshold.load(std::memory_order_relaxed);
}

void set_level(level least) {
  threshold.store(least, std::memory_order_relaxed);
}

bool parse_level(std::string_view text, level& out) {
  for (std::size_t i = 0; i < std::size(level_names); ++i) {
    if (text == level_names[i]) {
      out = static_cast<level>(i);
      return true;
    }
  }
  return false;
}

void write(level l, std::string_view message, std::initializer_list<field> fields) {
  if (!enabled(l)) return;
  std::string line;
  line.reserve(512);
  line += R"({"time":")";
  line += to_rfc3339(system_now());
  line += R"(","level":")";
  line += level_names[static_cast<std::size_t>(l)];
  line += R"(","message":")";
  append_escaped(line, message);
  line += '"';
  for (field const& f : fields) {
    line += ",\"";
    line += f.name.text;
    line += "\":";
    append_value(line, f);
  }
  line += '}';
  writer->add(line);
}

log_writer::log_writer(int descriptor) : descriptor_(descriptor), thread_(&log_writer::run, this) {}

log_writer::~log_writer() {
  {
    std::lock_guard const lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void log_writer::add(std::string_view line) {
  bool print = false;
  {
    std::lock_guard const lock(mutex_);
    auto const before = waiting_.size();
    if (before + line.size() >= most_waiting) {
      ++dropped_;
      ++all_dropped_;
      return;
    }
    waiting_.append(line).push_back('\n');
    // Only a thread that starts a batch or fills it wakes the writer.
    print = before == 0 || (before < full && waiting_.size() >= full);
  }
  if (print) wake_.notify_one();
}

void log_writer::run() {
  name_this_thread("log");
  std::string batch;
  bool last = false;
  while (!last) {
    std::size_t dropped = 0;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      wake_.wait_for(lock, gathering, [this] { return stopping_ || waiting_.size() >= full; });
      batch.swap(waiting_);
      dropped = std::exchange(dropped_, 0);
      last = stopping_;
    }
    if (dropped > 0) {
      batch += R"({"level":"warn","message":"log lines were dropped","count":)" + std::to_string(dropped) + "}\n";
    }
    write_all(descriptor_, batch);
    batch.clear();
    if (batch.capacity() > full) batch.shrink_to_fit();
  }
}

}  // namespace svc::log
