#include "redis/resp.hpp"

#include "svc/redis/reply.hpp"

#include <array>
#include <charconv>
#include <new>
#include <utility>

namespace svc::redis {

namespace {

// No reply to our commands comes near these limits. Beyond them the stream is broken, before it exhausts the memory.
constexpr int max_elements = 1 << 20;
constexpr std::size_t max_unparsed = 64U << 20;

void append_length(std::string& out, char mark, std::size_t length) {
  std::array<char, 24> line;
  line[0] = mark;
  char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, length).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(line.data(), end);
}

void append_bulks(std::string& out, std::span<std::string_view const> texts) {
  for (auto text : texts) {
    append_length(out, '$', text.size());
    out.append(text);
    out.append("\r\n", 2);
  }
}

}  // namespace

/// Called from C, so no exception may leave them; a null object makes hiredis report "out of memory".
struct reply_parser::callbacks {
  static reply& target(redisReadTask const* task) {
    if (task->parent == nullptr) return static_cast<reply_parser*>(task->privdata)->root_;
    return static_cast<reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)];
  }

  static void* create_string(redisReadTask const* task, char* text, std::size_t length) noexcept {
    try {
      reply& value = target(task);
      value.kind = task->type == REDIS_REPLY_ERROR    ? reply::type::error
                   : task->type == REDIS_REPLY_STATUS ? reply::type::status
                                                      : reply::type::bulk;
      value.text.assign(text, length);
      return &value;
    } catch (std::bad_alloc const&) {
      return nullptr;
    }
  }

  static void* create_array(redisReadTask const* task, int count) noexcept {
    if (count > max_elements) return nullptr;
    try {
      reply& value = target(task);
      value.kind = reply::type::array;
      value.elements.resize(static_cast<std::size_t>(count));
      return &value;
    } catch (std::bad_alloc const&) {
      return nullptr;
    }
  }

  static void* create_integer(redisReadTask const* task, long long number) noexcept {
    reply& value = target(task);
    value.kind = reply::type::integer;
    value.number = number;
    return &value;
  }

  static void* create_nil(redisReadTask const* task) noexcept { return &target(task); }

  static void free_object(void*) noexcept {}

  static redisReplyObjectFunctions table;
};

// hiredis takes a pointer to non-const but only reads.
redisReplyObjectFunctions reply_parser::callbacks::table{create_string, create_array, create_integer, create_nil,
                                                         free_object};

reply_parser::reply_parser() : reader_(redisReaderCreateWithFunctions(&callbacks::table)) {
  if (!reader_) throw std::bad_alloc();
  reader_->privdata = this;
}

reply_parser::~reply_parser() = default;

void reply_parser::feed(std::string_view bytes) {
  if (!fault_.empty()) return;
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    fault_ = "reader out of memory";
  } else if (reader_->len - reader_->pos > max_unparsed) {
    fault_ = "reply too long";
  }
}

reply_parser::step reply_parser::next(reply& into) {
  if (!fault_.empty()) return step::broken;
  void* done = nullptr;
  if (redisReaderGetReply(reader_.get(), &done) != REDIS_OK) {
    fault_ = reader_->errstr;
    return step::broken;
  }
  if (done == nullptr) return step::incomplete;
  into = std::exchange(root_, reply{});
  return step::complete;
}

void append_command(std::string& out, command_parts const& parts) {
  if (parts.asking) out += asking_command;
  append_length(out, '*', parts.head.size() + parts.keys.size() + parts.arguments.size());
  append_bulks(out, parts.head);
  append_bulks(out, parts.keys);
  append_bulks(out, parts.arguments);
}

std::string_view reply::error_code() const {
  if (!is_error()) return {};
  return std::string_view(text).substr(0, text.find(' '));
}

}  // namespace svc::redis
