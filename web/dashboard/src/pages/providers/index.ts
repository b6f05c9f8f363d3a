export { default as ProvidersPage } from "./providers_page";
export { default as NewProviderPage } from "./new_provider_page";
export { default as ProviderPage } from "./provider_page";
