export { default as TokensPage } from "./tokens_page";
export { default as NewTokenPage } from "./new_token_page";
export { default as RotateTokenPage } from "./rotate_token_page";
