#!/usr/bin/env python3
"""Checks deploy/kubernetes without a cluster and without kubectl: that its files agree with each other, with the images, with
the configuration and with the service.

usage: tools/check_kubernetes.py [DIRECTORY]   (default: deploy/kubernetes)

Whether each object fits Kubernetes's schema is checked by tests/kubernetes/run.sh, which needs kubectl and npm.
"""
import pathlib
import re
import subprocess
import sys
import tomllib

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("base", "migrate", "runner")
PROBES = {"/livez", "/readyz"}
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()
    return int(number) * SECONDS[unit]


class Folder:
    """A kustomization with what it names, not rendered."""

    def __init__(self, path, wrong):
        self.path, self.objects, self.configs = path, [], {}
        self.said = yaml.safe_load((path / "kustomization.yaml").read_text())
        named = {"kustomization.yaml"}
        for name in self.said.get("resources", []) + self.said.get("components", []):
            if not (path / name).exists():
                wrong(f"{path}: kustomization.yaml names {name}, which is not there")
            elif (path / name).is_file():
                named.add(name)
                self.objects += [each for each in yaml.safe_load_all((path / name).read_text()) if each]
            elif not (path / name / "kustomization.yaml").exists():
                wrong(f"{path}: {name} has no kustomization.yaml")
        self.patches = []
        for patch in self.said.get("patches", []):
            named.add(patch["path"])
            self.patches += list(yaml.safe_load_all((path / patch["path"]).read_text()))
        for one in self.said.get("configMapGenerator", []):
            named.update(one["files"])
            self.configs[one["name"]] = set(one["files"])
        for file in path.iterdir():
            if file.suffix in (".yaml", ".toml") and file.name not in named and file.name != "adapter_rules.yaml":
                wrong(f"{file}: no kustomization names it")
        for each in self.objects:
            if not (each.get("apiVersion") and each.get("kind") and each.get("metadata", {}).get("name")):
                wrong(f"{path}: an object lacks apiVersion, kind or name")

    def of(self, *kinds):
        return [each for each in self.objects if each["kind"] in kinds]

    def names(self, kind):
        return {each["metadata"]["name"] for each in self.of(kind)}


def pod(workload):
    return workload["spec"]["template"]["spec"]


def labels(workload):
    return workload["spec"]["template"]["metadata"]["labels"]


def fits(selector, of):
    return selector and selector.items() <= of.items()


def check_selectors(folder, wrong):
    workloads = folder.of("Deployment", "Job")

    def chosen(what, selector):
        found = [each for each in workloads if fits(selector, labels(each))]
        if not found:
            wrong(f"{what} selects no pod of this folder: {selector}")
        return found

    for each in folder.of("Deployment"):
        if not fits(each["spec"]["selector"]["matchLabels"], labels(each)):
            wrong(f"Deployment {each['metadata']['name']}: its selector is not among the labels of its pods")
        for spread in pod(each).get("topologySpreadConstraints", []):
            chosen("a topologySpreadConstraint", spread["labelSelector"]["matchLabels"])
    for each in folder.of("PodDisruptionBudget"):
        chosen("the PodDisruptionBudget", each["spec"]["selector"]["matchLabels"])
    for each in folder.of("NetworkPolicy"):
        for found in chosen("the NetworkPolicy", each["spec"]["podSelector"]["matchLabels"]):
            opened = ports(found)
            for rule in each["spec"].get("ingress", []):
                for port in rule["ports"]:
                    if port["port"] not in opened:
                        wrong(f"NetworkPolicy {each['metadata']['name']}: no port {port['port']}")
    for each in folder.of("Service"):
        for found in chosen(f"Service {each['metadata']['name']}", each["spec"]["selector"]):
            for port in each["spec"]["ports"]:
                if port["targetPort"] not in ports(found):
                    wrong(f"Service {each['metadata']['name']}: no port {port['targetPort']} in the pods")
    for each in folder.of("HorizontalPodAutoscaler"):
        target = each["spec"]["scaleTargetRef"]
        if target["name"] not in folder.names(target["kind"]):
            wrong(f"the autoscaler scales {target['name']}, which is not there")
        for metric in each["spec"]["metrics"]:
            name = metric.get("external", {}).get("metric", {}).get("name")
            if name and not any(f'"{name}"' in file.read_text() for file in (ROOT / "src").rglob("*.cpp")):
                wrong(f"the autoscaler asks for {name}, which svcd does not have")


def ports(workload):
    return {port["name"]: port["containerPort"] for container in pod(workload)["containers"]
            for port in container.get("ports", [])}


def files_in(workload):
    """What the pod finds in its volumes: path to (kind, object, key)."""
    volumes = {each["name"]: each for each in pod(workload).get("volumes", [])}
    for container in pod(workload)["containers"]:
        for mount in container.get("volumeMounts", []):
            volume = volumes[mount["name"]]
            if "secret" in volume:
                for item in volume["secret"]["items"]:
                    yield f"{mount['mountPath']}/{item['path']}", ("secret", volume["secret"]["secretName"], item["key"])
            elif "configMap" in volume:
                yield mount["mountPath"], ("config", volume["configMap"]["name"], None)


def check_files(folder, config, created, wrong):
    """Secrets are files, made by commands of the README; what is named exists."""
    for workload in folder.of("Deployment", "Job"):
        name, there = workload["metadata"]["name"], dict(files_in(workload))
        known = set()
        for path, (kind, of, key) in there.items():
            if kind == "secret":
                known.add(path)
                if key not in created.get(of, set()):
                    wrong(f"{name}: README.md makes no secret {of} with the key {key}")
            else:
                known |= {f"{path}/{file}" for file in folder.configs.get(of, set())}
                if of not in folder.configs:
                    wrong(f"{name}: no configMapGenerator makes {of}")
        for container in pod(workload)["containers"]:
            for variable in container.get("env", []):
                if "valueFrom" in variable or not variable["name"].endswith("_FILE"):
                    wrong(f"{name}: {variable['name']} must be a file")
                elif variable["value"] not in known:
                    wrong(f"{name}: {variable['name']} names {variable['value']}, which no volume has")
            args = container.get("args", [])
            if "--config" in args and args[args.index("--config") + 1] not in known:
                wrong(f"{name}: no volume has the configuration that it is started with")
        if workload["kind"] == "Deployment":
            for path in re.findall(r'"(/(?:run|etc)/[^"]+)"', config):
                if path not in known:
                    wrong(f"{name}: the configuration names {path}, which no volume has")
        account = pod(workload).get("serviceAccountName")
        if account and account not in folder.names("ServiceAccount"):
            wrong(f"{name}: no ServiceAccount {account}")


def check_security(workload, users, wrong):
    name, spec = workload["metadata"]["name"], pod(workload)
    user = users[spec["containers"][0]["image"]]
    of_pod = spec["securityContext"]
    if [of_pod.get(key) for key in ("runAsUser", "runAsGroup", "fsGroup", "runAsNonRoot")] != [user, user, user, True]:
        wrong(f"{name}: the image's user is {user}")
    if spec.get("automountServiceAccountToken") is not False:
        wrong(f"{name}: automountServiceAccountToken must be false")
    if of_pod["seccompProfile"]["type"] != "RuntimeDefault" and not name.startswith("svc-runner"):
        wrong(f"{name}: seccompProfile must be RuntimeDefault")
    for container in spec["containers"]:
        said = container["securityContext"]
        if said.get("allowPrivilegeEscalation") is not False or said.get("readOnlyRootFilesystem") is not True or \
                said.get("capabilities") != {"drop": ["ALL"]}:
            wrong(f"{name}: its container may do more than it needs")
        if not container.get("resources", {}).get("requests") or not container["resources"].get("limits", {}).get("memory"):
            wrong(f"{name}: it requests nothing, or has no limit of memory")


def check_server(base, config, where, wrong):
    """svcd.toml against the Deployment."""
    workload = next(each for each in base.of("Deployment"))
    kinds = {"public": "https", "internal": "internal"}
    listens = {kinds[each.get("kind", "public")]: int(each["address"].rsplit(":", 1)[1]) for each in config["listeners"]}
    listens["admin"] = int(config["admin"]["address"].rsplit(":", 1)[1])
    if listens != ports(workload):
        wrong(f"{where}: it listens on {listens}, the pods have {ports(workload)}")
    exposed = re.search(r"^EXPOSE (.*)", (ROOT / "deploy/container/Dockerfile").read_text(), re.M).group(1).split()
    if sorted(map(int, exposed)) != sorted(listens.values()):
        wrong(f"{where}: the image exposes {exposed}")
    if config["admin"]["address"].startswith(("127.", "[::1]")):
        wrong(f"{where}: the kubelet does not reach {config['admin']['address']}")
    grace = pod(workload)["terminationGracePeriodSeconds"]
    if grace < seconds(config["drain_delay"]) + seconds(config["drain_timeout"]) + 10:
        wrong(f"{where}: terminationGracePeriodSeconds {grace} is too short for its drain")
    scaler = next(each for each in base.of("HorizontalPodAutoscaler"))["spec"]
    if scaler["maxReplicas"] != config["instances"] or scaler["minReplicas"] < 2:
        wrong(f"{where}: instances must be maxReplicas, {scaler['maxReplicas']}, and minReplicas 2 or more")
    if config.get("workers", 0) == 0:
        wrong(f"{where}: workers = 0 counts the cores of the node")
    for container in pod(workload)["containers"]:
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asks = container[probe]["httpGet"]
            if asks["port"] != "admin" or asks["path"] not in PROBES:
                wrong(f"the {probe} must ask the admin listener for one of {sorted(PROBES)}")


def check_runner(runner, wrong):
    workload, config = runner.of("Deployment")[0], tomllib.loads((runner.path / "runner.toml").read_text())
    if pod(workload)["terminationGracePeriodSeconds"] < seconds(config["grace"]) + 10:
        wrong("runner.toml: terminationGracePeriodSeconds is too short for its grace")
    if not any(config["work_dir"].startswith(mount["mountPath"] + "/")
               for mount in pod(workload)["containers"][0]["volumeMounts"]):
        wrong("runner.toml: work_dir must be a directory in a volume, not the volume, whose owner is root")
    external = runner.of("HorizontalPodAutoscaler")[0]["spec"]["metrics"][0]["external"]
    if external["target"]["averageValue"] != str(config["concurrency"]):
        wrong("the autoscaler of runners must aim at `concurrency` runs for each")


def check_example(place, parts, wrong):
    folder = Folder(place, wrong)
    under = [parts[path.name] for path in (place / name for name in folder.said["resources"]) if path.name in parts]
    objects = [each for part in under for each in part.objects]
    images = {container["image"] for each in objects if each["kind"] in ("Deployment", "Job")
              for container in pod(each)["containers"]}
    if {each["name"] for each in folder.said["images"]} != images:
        wrong(f"{place}: its images are not those of the workloads, {sorted(images)}")
    for patch in folder.patches:
        if (patch["kind"], patch["metadata"]["name"]) not in {(each["kind"], each["metadata"]["name"]) for each in objects}:
            wrong(f"{place}: a patch changes {patch['kind']} {patch['metadata']['name']}, which is not there")
    for name, files in folder.configs.items():
        if not any(part.configs.get(name) == files for part in under):
            wrong(f"{place}: it replaces other files of {name} than there are")
    return folder


def check_monitoring(place, base, wrong):
    monitor = Folder(place, wrong).of("ServiceMonitor")[0]["spec"]
    services = [each for each in base.of("Service") if fits(monitor["selector"]["matchLabels"], each["metadata"]["labels"])]
    asked = {each["port"] for each in monitor["endpoints"]}
    if not services or any(asked - {port["name"] for port in each["spec"]["ports"]} for each in services):
        wrong("the ServiceMonitor finds no Service with its port")
    # The rules need this name of the job.
    if any(each["metadata"]["labels"][monitor["jobLabel"]] != "svcd" for each in services):
        wrong("the ServiceMonitor's jobLabel must give the name svcd")
    made = yaml.safe_load(subprocess.run([place / "prometheus_rule.sh"], capture_output=True, text=True, check=True).stdout)
    if made["kind"] != "PrometheusRule" or \
            made["spec"] != yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text()):
        wrong("prometheus_rule.sh does not give the rules of deploy/prometheus/alerts.yml")


def created_secrets(readme):
    """Name to keys, by the README's commands."""
    out = {}
    for name, rest in re.findall(r"create secret (?:generic|tls) (\S+)((?:[^\n]*\\\n)*[^\n]*)", readme):
        keys = set(re.findall(r"--from-file=([^=\s]+)=", rest))
        if "--cert=" in rest and "--key=" in rest:
            keys |= {"tls.crt", "tls.key"}
        out.setdefault(name, set()).update(keys)
    return out


def main():
    if sys.argv[1:2] == ["--help"]:
        print(__doc__)
        return 0
    place = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "deploy/kubernetes"
    problems = []
    wrong = problems.append
    dockerfile = (ROOT / "deploy/container/Dockerfile").read_text()
    users = {name: int(uid) for uid, name in re.findall(r"useradd --uid (\d+) --gid (\S+)", dockerfile)}
    created = created_secrets((place / "README.md").read_text())
    parts = {name: Folder(place / name, wrong) for name in PARTS}
    base, runner = parts["base"], parts["runner"]
    texts = {"base": (place / "base/svcd.toml").read_text(), "migrate": "",
             "runner": (place / "runner/runner.toml").read_text()}
    for name, part in parts.items():
        check_selectors(part, wrong)
        check_files(part, texts[name], created, wrong)
        for workload in part.of("Deployment", "Job"):
            check_security(workload, users, wrong)
    check_server(base, tomllib.loads(texts["base"]), "base/svcd.toml", wrong)
    check_runner(runner, wrong)
    for example in sorted((place / "example").iterdir()):
        folder = check_example(example, parts, wrong)
        if "svcd" in folder.configs:
            text = (example / "svcd.toml").read_text()
            check_files(base, text, created, wrong)
            check_server(base, tomllib.loads(text), example / "svcd.toml", wrong)
    check_monitoring(place / "monitoring", base, wrong)
    for one in problems:
        print(f"check_kubernetes: {one}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
