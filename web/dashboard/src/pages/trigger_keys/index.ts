export { default as KeysPage } from "./keys_page";
export { default as NewKeyPage } from "./new_key_page";
export { default as RotateKeyPage } from "./rotate_key_page";
