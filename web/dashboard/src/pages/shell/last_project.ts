const KEY = "svc_last_project";

/** The project of the last visit of this tab, as `organisation/project`. */
export const lastProject = (): string | null => sessionStorage.getItem(KEY);

export const rememberProject = (organization: string, project: string): void =>
  sessionStorage.setItem(KEY, `${organization}/${project}`);
