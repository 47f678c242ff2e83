//! Comparing the pages on installation with the manifests.

use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs_err::read_to_string(root.join(path)).unwrap()
}

#[test]
fn the_readme_installs_from_the_repository_of_the_manifest() {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let name = repository.rsplit('/').next().unwrap();
    let readme = read("README.md");
    let ends = |c: char| c.is_whitespace() || "`)\\".contains(c);
    let urls = readme.split("https://github.com/").skip(1);
    let urls: Vec<&str> = urls.filter_map(|rest| rest.split(ends).next()).collect();
    let own: Vec<_> = urls.iter().filter(|url| url.contains(name)).collect();
    assert!(own.len() >= 3, "{urls:?}");
    for url in own {
        let url = format!("https://github.com/{url}");
        assert!(url.starts_with(repository), "{url} is not in {repository}");
    }
}

#[test]
fn the_wheel_has_the_name_that_the_readme_installs() {
    let manifest: toml::Table = read("crates/session-cli/pyproject.toml").parse().unwrap();
    let name = manifest["project"]["name"].as_str().unwrap();
    for page in ["README.md", "crates/session-cli/README.md"] {
        let command = format!("uvx --from {name} session-search");
        assert!(read(page).contains(&command), "{page}");
    }
}

#[test]
fn archives_are_called_what_binstall_and_the_installer_download() {
    let manifest: toml::Table = read("crates/session-cli/Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let url = binstall["pkg-url"].as_str().unwrap();
    assert_eq!(
        url,
        "{ repo }/releases/download/v{ version }/session-search-{ target }{ archive-suffix }"
    );
    let installer = read("crates/session-cli/packaging/install.sh");
    assert!(installer.contains("name=\"session-search-$target\""));
    assert!(installer.contains("$releases/v$VERSION/$name.tar.gz"));
    let archive = read("crates/session-cli/packaging/build-archive");
    assert!(archive.contains("name=session-search-$target"));
}
