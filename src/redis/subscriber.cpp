#include "svc/redis/subscriber.hpp"

#include "redis/cluster_subscriber.hpp"

namespace svc::redis {
namespace {

std::shared_ptr<subscriber::backend> make_subscriber_backend(asio::io_context& io, settings where,
                                                             subscriber::listener& listener) {
  auto tls = where.tls ? std::make_shared<tls_context const>(where.tls_ca_file) : nullptr;
  if (!where.cluster.empty())
    return std::make_shared<cluster_subscriber>(io, std::move(where), std::move(tls), listener);
  return std::make_shared<server_subscriber>(io, std::move(where), std::move(tls), listener);
}

}  // namespace

subscriber::subscriber(asio::io_context& io, settings where, listener& listener)
    : impl_(make_subscriber_backend(io, std::move(where), listener)) {}
subscriber::~subscriber() {
  impl_->stop();
}
void subscriber::start() {
  impl_->start();
}
void subscriber::stop() {
  impl_->stop();
}
bool subscriber::connected() const {
  return impl_->connected();
}
void subscriber::subscribe(std::string const& channel) {
  impl_->subscribe(channel);
}
void subscriber::unsubscribe(std::string const& channel) {
  impl_->unsubscribe(channel);
}

}  // namespace svc::redis
