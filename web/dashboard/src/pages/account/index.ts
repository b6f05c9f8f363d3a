export { default as AccountLayout } from "./account_layout";
export { default as ProfilePage } from "./profile_page";
export { default as PasswordPage } from "./password_page";
export { default as SessionsPage } from "./sessions_page";
export { default as OwnTokensPage } from "./own_tokens_page";
export { default as ActivityPage } from "./activity_page";
