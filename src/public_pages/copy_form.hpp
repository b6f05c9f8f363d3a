#pragma once

#include "svc/public_pages/source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// The form in which Redis keeps a page. Everything here is pure.

namespace svc::public_pages {

/// Bytes of one copy.
inline constexpr std::size_t most_copy_bytes = 64UL * 1024;

/// Returns the page as gzip, without its oldest texts and incidents as far as it would be too large. Returns
/// `std::nullopt` if it is too large even so.
std::optional<std::string> write_copy(published_page const& page);
/// Returns null for anything that `write_copy` does not write. Total.
page_ptr read_copy(std::string_view gzip);

/// Returns the names by which requests may find the page, in the form of the keys of names in Redis.
std::vector<std::string> names_in_redis(published_page const& page);
/// Returns the form of one name.
std::string name_in_redis(page_name const& name);

}  // namespace svc::public_pages
