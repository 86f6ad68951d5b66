//! What each language's own tools say of its snippet, where they are here. Rust is compiled with these tests
//! (`emitted`); Kotlin and C# have no tool here, and are compared whole.

use std::fs;
use std::path::Path;
use std::process::Command;

use lockaudit::snippet::{Language, snippet};
use tempfile::TempDir;

use super::{hostile, subject};
use crate::harness::program;

/// How a file is compiled, or at least parsed: it is called as its template is.
struct Tool {
    language: Language,
    file: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// Set to 1, it makes a missing program a failure.
    required: &'static str,
}

const PYTHON: Tool = Tool {
    language: Language::Python,
    file: "lease.py",
    program: "python3",
    arguments: &["-m", "py_compile"],
    required: "LOCKAUDIT_REQUIRE_PYTHON",
};

const TYPESCRIPT: Tool = Tool {
    language: Language::TypeScript,
    file: "lease.ts",
    program: "node",
    arguments: &["--no-warnings", "--experimental-strip-types", "--check"],
    required: "LOCKAUDIT_REQUIRE_NODE_22",
};

const TOOLS: [Tool; 6] = [
    PYTHON,
    Tool {
        language: Language::Java,
        file: "Lease.java",
        program: "javac",
        arguments: &[
            "-encoding",
            "UTF-8",
            "-Xlint:all,-serial",
            "-Werror",
            "-d",
            ".",
        ],
        required: "LOCKAUDIT_REQUIRE_JAVAC",
    },
    Tool {
        language: Language::Go,
        file: "lease.go",
        program: "gofmt",
        arguments: &["-e", "-l"],
        required: "LOCKAUDIT_REQUIRE_GOFMT",
    },
    Tool {
        language: Language::Ruby,
        file: "lease.rb",
        program: "ruby",
        arguments: &["-w", "-c"],
        required: "LOCKAUDIT_REQUIRE_RUBY",
    },
    Tool {
        language: Language::Php,
        file: "lease.php",
        program: "php",
        arguments: &["-l"],
        required: "LOCKAUDIT_REQUIRE_PHP",
    },
    Tool {
        language: Language::Elixir,
        file: "lease.ex",
        program: "elixir",
        arguments: &[
            "-e",
            "Code.string_to_quoted!(File.read!(hd(System.argv())))",
        ],
        required: "LOCKAUDIT_REQUIRE_ELIXIR",
    },
];

impl Tool {
    fn takes(&self, code: &str) {
        let Some(program) = program(self.program, self.required) else {
            return;
        };
        let folder = TempDir::new().expect("a folder can be made");
        fs::write(folder.path().join(self.file), code).expect("it can be written");
        self.reads(&program, folder.path(), code);
    }

    fn reads(&self, program: &Path, folder: &Path, code: &str) {
        let output = Command::new(program)
            .args(self.arguments)
            .arg(self.file)
            .current_dir(folder)
            .output()
            .expect("it can be started");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{said}\n{code}");
        if self.program == "gofmt" {
            assert_eq!(said, "", "it names what it would change:\n{code}");
        }
    }
}

#[test]
fn each_language_takes_its_snippet_whatever_the_name_and_the_table_are() {
    for tool in &TOOLS {
        for subject in [subject(), hostile()] {
            tool.takes(&snippet(tool.language, &subject));
        }
    }
}

/// Node strips types from version 22 on.
#[test]
fn node_takes_the_typescript_whatever_the_name_and_the_table_are() {
    let Some(node) = program("node", TYPESCRIPT.required) else {
        return;
    };
    let output = Command::new(node).arg("--version").output();
    let version = output.expect("it can be started").stdout;
    let version = String::from_utf8(version).expect("it writes UTF-8");
    let major = version.trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= 22 => {
            for subject in [subject(), hostile()] {
                TYPESCRIPT.takes(&snippet(Language::TypeScript, &subject));
            }
        }
        _ => crate::harness::missing("node from 22 on", TYPESCRIPT.required),
    }
}

/// Python reads back what was written, quote by quote.
#[test]
fn a_name_and_a_statement_mean_in_python_what_they_are() {
    let Some(python) = program(PYTHON.program, PYTHON.required) else {
        return;
    };
    let read = "import ast, json, sys\n\
        tree = ast.parse(sys.argv[1])\n\
        found = {n.targets[0].id: n.value.value for n in tree.body if isinstance(n, ast.Assign)}\n\
        json.dump(found, sys.stdout)";
    let code = snippet(Language::Python, &hostile());
    let output = Command::new(python).args(["-c", read, &code]).output();
    let found = output.expect("it can be started").stdout;
    let found: serde_json::Value = serde_json::from_slice(&found).expect("it writes JSON");
    assert_eq!(found["NAME"], hostile().name.as_str());
    assert_eq!(found["TTL"], 2);
    for statement in lockaudit::snippet::STATEMENTS {
        let wanted = hostile().statement(Language::Python, statement).sql;
        let variable = match statement.name {
            "bridge" => "BRIDGED".to_owned(),
            "fence_check" => "FENCE".to_owned(),
            name => name.to_uppercase(),
        };
        assert_eq!(found[&variable], wanted.as_str());
    }
}
