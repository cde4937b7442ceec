import Foundation
import ProgramSupport

/// A language of docs/enqueue, and how to start its program.
struct Language: Sendable, CustomStringConvertible {
    let description: String
    let tool: Tool
    /// With `{database}`, `{user}` and `{port}` to fill in.
    let arguments: [String]
    var environment: [String: String] = [:]

    static let all = [
        Language(
            description: "psql", tool: .psql, arguments: ["-X", "-v", "hub=news", "-f", "docs/enqueue/orders.sql"]),
        Language(
            description: "Python with psycopg", tool: .psycopg, arguments: ["docs/enqueue/backend.py"]),
        Language(
            description: "Python with asyncpg", tool: Tool("/usr/bin/python3", check: ["-c", "import asyncpg"]),
            arguments: ["docs/enqueue/backend_asyncpg.py"]),
        Language(
            description: "Node.js", tool: Tool("node", check: ["-e", "require('pg')"], environment: node),
            arguments: ["docs/enqueue/orders.js"], environment: node),
        Language(
            description: "Ruby", tool: Tool("ruby", check: ["-e", "require 'pg'"]),
            arguments: ["docs/enqueue/orders.rb"]),
        Language(
            description: "Go", tool: Tool("go", check: ["list", "github.com/lib/pq"], environment: go),
            arguments: ["run", "docs/enqueue/orders.go"], environment: go),
        Language(
            description: "Java",
            tool: Tool(
                "python3",
                check: [
                    "-c", "import subprocess; subprocess.run(['javac', '--version'], check=True); open('\(driver)')",
                ]),
            arguments: [
                "-c", relay, "java", "-cp", driver, "docs/enqueue/Orders.java",
                "jdbc:postgresql://127.0.0.1:{port}/{database}?user={user}&sslmode=disable",
            ]),
        Language(
            description: "PHP", tool: Tool("php", check: ["-r", "exit(extension_loaded('pdo_pgsql') ? 0 : 1);"]),
            arguments: ["docs/enqueue/orders.php"]),
    ]

    private static let driver = "/usr/share/java/postgresql.jar"
    /// Debian's packages, or those that bin/setup unpacked for another Node.js.
    private static let node = [
        "NODE_PATH": Repository.url(".build-tools/node/usr/share/nodejs").path() + ":/usr/share/nodejs"
    ]
    /// Debian's packages are in a GOPATH, without modules.
    private static let go = [
        "GO111MODULE": "off", "GOPATH": "/usr/share/gocode",
        "GOCACHE": Repository.url(".build-tools/go").path(),
    ]

    /// JDBC needs TCP, which the private server does not offer. This passes bytes between a port and PGHOST's socket while
    /// the command in the arguments runs, with `{port}` filled in.
    private static let relay = """
        import os, socket, subprocess, sys, threading
        listener = socket.create_server(("127.0.0.1", 0))
        def copy(source, target):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        def serve():
            while True:
                client, _ = listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(os.environ["PGHOST"] + "/.s.PGSQL.5432")
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()
        threading.Thread(target=serve, daemon=True).start()
        command = [a.replace("{port}", str(listener.getsockname()[1])) for a in sys.argv[1:]]
        sys.exit(subprocess.run(command).returncode)
        """
}

extension Tool {
    /// Python with Debian's psycopg.
    static let psycopg = Tool("/usr/bin/python3", check: ["-c", "import psycopg"])
}
