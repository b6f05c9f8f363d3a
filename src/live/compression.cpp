#include "live/compression.hpp"

#include <zlib.h>

#include <array>
#include <new>

namespace svc::live {
namespace {

/// Output repeats itself: the fastest level already finds that, at 100 MB/s.
constexpr int level = 1;

Bytef* bytes_of(char const* text) {
  // zlib reads it only; its interface is older than const.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

struct compressor::state {
  z_stream z{};
  byte_vector out;
};

compressor::compressor() : state_(std::make_unique<state>()) {
  if (deflateInit(&state_->z, level) != Z_OK) throw std::bad_alloc();
}

compressor::compressor(compressor&&) noexcept = default;

compressor::~compressor() {
  if (state_) deflateEnd(&state_->z);
}

void compressor::add(std::string_view text) {
  run(text, Z_NO_FLUSH);
}

byte_vector compressor::finish() {
  run({}, Z_FINISH);
  return std::move(state_->out);
}

void compressor::run(std::string_view text, int flush) {
  auto& z = state_->z;
  z.next_in = bytes_of(text.data());
  z.avail_in = static_cast<uInt>(text.size());
  std::array<Bytef, 16UL * 1024> room;
  do {
    z.next_out = room.data();
    z.avail_out = static_cast<uInt>(room.size());
    deflate(&z, flush);
    state_->out.insert(state_->out.end(), room.data(), room.data() + (room.size() - z.avail_out));
  } while (z.avail_out == 0);
}

std::optional<std::string> inflated(byte_view content, std::size_t size) {
  std::string out(size, '\0');
  uLongf length = size;
  auto const code = uncompress(reinterpret_cast<Bytef*>(out.data()), &length, content.data(), content.size());
  if (code != Z_OK || length != size) return std::nullopt;
  return out;
}

}  // namespace svc::live
