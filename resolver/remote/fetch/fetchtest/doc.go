// Package fetchtest holds stand-ins for the servers that packs come from, for tests: one for
// the artifact APIs of GitHub and GitLab, a registry, and a plain file server. They listen on
// the loopback address only, answer in the shapes of the pages below, count what they are
// asked, and misbehave where a test says so ([Server.Spoil]).
//
// GitHub (docs.github.com, version 2022-11-28):
//   - rest/actions/artifacts: "List artifacts for a repository" (name, per_page,
//     page), "List workflow run artifacts", "Get an artifact", "Download an
//     artifact" (302 to another host, 410 when it has expired);
//   - rest/actions/workflow-runs: "Get a workflow run";
//   - rest/repos/repos: "Get a repository";
//   - rest/using-the-rest-api: "Using pagination in the REST API" (Link header),
//     "Rate limits for the REST API" (403 or 429 with retry-after, or
//     x-ratelimit-remaining: 0 and x-ratelimit-reset).
//
// GitLab (docs.gitlab.com):
//   - api/projects: "Retrieve a project";
//   - api/pipelines: "List project pipelines" (ref, status, order_by, sort);
//   - api/jobs: "List pipeline jobs" (scope[]), "Retrieve a single job";
//   - api/job_artifacts: "Download job artifacts by job ID" and "by reference
//     name" (either may redirect to object storage);
//   - ci/jobs/ci_job_token: CI_JOB_TOKEN reaches the artifacts, but not the
//     listings of pipelines and jobs.
package fetchtest
