#include "svc/http/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace svc::http {
namespace {

/// zlib's windowBits: the largest window, and 16 more for gzip's header.
int window_bits(deflate_format format) {
  return format == deflate_format::gzip ? 15 + 16 : 15;
}

}  // namespace

struct deflater::stream {
  z_stream z{};
};

deflater::deflater(deflate_format format, int level) : stream_(std::make_unique<stream>()) {
  constexpr int usual_memory = 8;
  if (deflateInit2(&stream_->z, level, Z_DEFLATED, window_bits(format), usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

deflater::deflater(deflater&&) noexcept = default;

deflater::~deflater() {
  if (stream_) deflateEnd(&stream_->z);
}

void deflater::run(std::string_view piece, int flush) {
  auto& z = stream_->z;
  // zlib reads through this pointer and never writes.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  z.avail_in = static_cast<uInt>(piece.size());
  std::array<char, 16384> block;
  do {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    if (deflate(&z, flush) == Z_STREAM_ERROR) throw std::logic_error("deflate: the stream was finished before");
    out_.append(block.data(), block.size() - z.avail_out);
  } while (z.avail_out == 0);
}

void deflater::add(std::string_view piece) {
  run(piece, Z_NO_FLUSH);
}

std::string deflater::finish() {
  run({}, Z_FINISH);
  return std::move(out_);
}

std::string gzip(std::string_view text, int level) {
  deflater deflater(deflate_format::gzip, level);
  deflater.add(text);
  return deflater.finish();
}

struct inflater::stream {
  z_stream z{};
  int code = Z_OK;
};

inflater::inflater(byte_view content, std::size_t size, deflate_format format)
    : stream_(std::make_unique<stream>()), size_(size) {
  auto& z = stream_->z;
  // zlib reads through this pointer and never writes.
  z.next_in = const_cast<Bytef*>(content.data());
  z.avail_in = static_cast<uInt>(content.size());
  if (inflateInit2(&z, window_bits(format)) != Z_OK) throw std::bad_alloc();
  out_.reserve(size);
}

inflater::inflater(inflater&&) noexcept = default;

inflater::~inflater() {
  if (stream_) inflateEnd(&stream_->z);
}

bool inflater::step(std::size_t most) {
  auto& z = stream_->z;
  auto const before = out_.size();
  out_.resize(before + std::min(most, size_ - before));
  z.next_out = reinterpret_cast<Bytef*>(out_.data() + before);
  z.avail_out = static_cast<uInt>(out_.size() - before);
  stream_->code = inflate(&z, Z_NO_FLUSH);
  return stream_->code == Z_OK && z.avail_out == 0 && out_.size() < size_;
}

std::optional<std::string> inflater::finish() {
  auto& z = stream_->z;
  if (z.avail_out > 0 || out_.size() < size_) return std::nullopt;
  // The checksum after the text is read only if there is room for more.
  Bytef more = 0;
  z.next_out = &more;
  z.avail_out = 1;
  if (stream_->code != Z_STREAM_END) stream_->code = inflate(&z, Z_FINISH);
  if (stream_->code != Z_STREAM_END || z.avail_out == 0) return std::nullopt;
  return std::move(out_);
}

std::optional<std::string> inflated(byte_view content, std::size_t size, deflate_format format) {
  inflater inflater(content, size, format);
  inflater.step(size);
  return inflater.finish();
}

}  // namespace svc::http
