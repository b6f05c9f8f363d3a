#pragma once

#include "http/public_pages/owner_cache.hpp"
#include "http/public_pages/render_shares.hpp"
#include "http/public_pages/routes.hpp"
#include "http/public_pages/snapshots.hpp"
#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/domain/pages/formats.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::public_pages {

/// One form of a page as bytes. Immutable.
struct rendering {
  std::string_view content_type{};                     ///< static text
  std::shared_ptr<std::string const> plain{}, gzip{};  ///< `gzip` is null for small texts and pictures
  std::string tag{};                                   ///< entity tag of the plain form, without quotes
  timestamp changed{};                                 ///< for Last-Modified
  std::uint64_t generation = 0;
  timestamp until{};                      ///< the texts change at this time
  std::shared_ptr<account_share> held{};  ///< the memory, also while a slow client reads it
};
using rendering_ptr = std::shared_ptr<rendering const>;

/// The text that is rendered. A value.
struct rendering_key {
  uuid page{};
  page_form form = page_form::status;
  bool on_domain = false;
  uuid item{};
  int month = 0;  ///< of a history: 12 × year + month, from 0

  friend bool operator==(rendering_key const&, rendering_key const&) = default;
};
struct rendering_key_hash {
  std::size_t operator()(rendering_key const& key) const noexcept;
};

/// The bytes of pages that were served last. A text is rendered once for each snapshot, and again when time alone
/// changes it: a component turns grey, maintenance starts or ends. Worker-local; the accounts outlive it, and it
/// outlives the loop's work.
class renderings {
 public:
  /// Texts are rendered again after this time, because they name the time.
  static constexpr std::chrono::seconds longest_use{5};

  /// `most`: bytes, of which one project holds a quarter at most.
  renderings(asio::io_context& io, account& memory, account& time, std::size_t most)
      : io_(io), memory_(memory), cache_(most), shares_(time, steady::now()) {}
  renderings(renderings const&) = delete;
  renderings& operator=(renderings const&) = delete;

  struct answer {
    rendering_ptr made{};  ///< null: the page has no such thing
    bool no_room = false;  ///< slow clients hold all memory, or the project has used its time
  };
  /// Returns the rendering of a page at `now`.
  task<answer> find(rendering_key key, held_page held, pages::page_address address, timestamp now, deadline until);

  /// Returns the rendering of a logo if it is of this version of the page; otherwise null.
  rendering_ptr find_logo(uuid const& page, std::int64_t version);
  /// Keeps a logo for this version of the page.
  answer keep_logo(published_page const& page, page_logo logo, timestamp now);

  std::size_t held() const { return cache_.held(); }

 private:
  using flights = single_flight<rendering_key, answer, rendering_key_hash>;

  task<> fly(rendering_key key, held_page held, pages::page_address address, timestamp now,
             flights::flight_ptr flight);
  answer hold(uuid const& project, rendering_key const& key, rendering made);

  asio::io_context& io_;
  account& memory_;
  owner_cache<rendering_key, rendering const, rendering_key_hash> cache_;
  flights flights_{};
  render_shares shares_;
};

/// Returns the terms of the account of renderings, which includes those that slow clients still read.
account_terms rendering_terms(std::size_t worker_bytes, std::size_t workers);

/// Returns the first time after `now` at which a text of the snapshot changes without a change of the snapshot, at
/// most `renderings::longest_use` after `now`. Pure.
timestamp next_change(pages::page_snapshot const& snapshot, timestamp now);
/// Returns the last time until `now` at which a text changed: the time of the snapshot, or later by time alone. A
/// client that sends only `If-Modified-Since` must see a page that has turned grey. Pure.
timestamp last_change(pages::page_snapshot const& snapshot, timestamp now);

/// Returns the text of a form, or `std::nullopt` if the page does not have the item. Pure. Logos and subscriptions
/// have no text here.
std::optional<std::string> text_of(rendering_key const& key, pages::page_view const& view);
std::string_view content_type_of(page_form form);

}  // namespace svc::public_pages
