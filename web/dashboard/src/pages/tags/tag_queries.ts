import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, takeWithHeaders } from "../../api/services";
import { MOST_PAGES, searchPages } from "../../parts/search_pages";
import type { PageState } from "../../parts/url_state";
import { list } from "../project_queries";

export type Tag = PublicSchemas["Tag"];

type RequestHeaders = Record<string, string>;

const PAGE = 100;

const readPage = (api: PublicClient, place: PageState, headers: RequestHeaders, signal?: AbortSignal) =>
  list<Tag>(api.GET("/api/tags", { params: { query: { limit: PAGE, ...place } }, headers, signal }));

/** Returns all tags of the project by name: page after page, because one has at most a hundred. */
export async function readTags(api: PublicClient, headers: RequestHeaders = {}, signal?: AbortSignal): Promise<Tag[]> {
  const { rows } = await searchPages((place) => readPage(api, place, headers, signal), () => true, MOST_PAGES * PAGE);
  return rows.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** A tag with the ETag of its version. */
export interface TagVersion {
  tag: Tag;
  etag: string;
}

export async function readTag(api: PublicClient, id: string, signal?: AbortSignal): Promise<TagVersion> {
  const answer = api.GET("/api/tags/{id}", { params: { path: { id } }, headers: WHOLE, signal });
  const { data, headers } = await takeWithHeaders<Tag>(answer);
  return { tag: data, etag: headers.get("ETag") ?? "*" };
}

/** The first users of a tag, and how many there are. */
export interface TagUse {
  names: string[];
  total: number;
}

const NAMED = 5;

/** Returns the tests and monitors that have the tag. */
export async function readTagUse(api: PublicClient, tag: Tag, signal: AbortSignal): Promise<{ tests: TagUse; monitors: TagUse }> {
  const [tests, monitors] = await Promise.all([
    list<{ title: string }>(api.GET("/api/tests", { params: { query: { limit: NAMED, tagId: tag.id } }, signal })),
    list<{ name: string }>(api.GET("/api/monitors", { params: { query: { limit: NAMED, tag: tag.name } }, signal })),
  ]);
  return {
    tests: { names: tests.rows.map((one) => one.title), total: tests.pagination.total },
    monitors: { names: monitors.rows.map((one) => one.name), total: monitors.pagination.total },
  };
}
